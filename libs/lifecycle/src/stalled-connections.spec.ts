import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { closeStalledConnections } from './stalled-connections.js';

const STALL_MS = 300;
/** More than the buffers of a connection on loopback take, as one write. */
const BODY = Buffer.alloc(20_000_000, 'x');

let server: Server;
let socket: Socket;
let atServer: Socket;

beforeEach(async () => {
  server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    if (request.url === '/large') response.end(BODY);
    else if (request.url === '/small') response.end('x');
  });
  closeStalledConnections(server, STALL_MS);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const connected = once(server, 'connection');
  socket = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined);
  [atServer] = (await connected) as [Socket];
});
afterEach(() => {
  socket.destroy();
  server.close();
  server.closeAllConnections();
});

const ask = (path: string) => socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`);
const atTheLatest = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms, 'open'));

describe('connections whose client does not read', () => {
  it('given an unread response, when it has stalled for long enough, then the connection is closed', async () => {
    socket.pause();
    ask('/large');
    await once(atServer, 'close');
    expect(atServer.bytesRead).toBeGreaterThan(0);
  });

  it('given an answer that is read slowly, when it takes far longer than it may stall, then all of it arrives', async () => {
    const beganAtMs = performance.now();
    let received = 0;
    socket.pause();
    ask('/large');
    while (received < BODY.length) {
      await atTheLatest(STALL_MS / 3);
      for (let read = 0; read < BODY.length / 10;) {
        const chunk = socket.read() as Buffer | null;
        if (chunk === null) await once(socket, 'readable');
        read += chunk?.length ?? 0;
        received += chunk?.length ?? 0;
        if (received >= BODY.length) break;
      }
    }
    expect(performance.now() - beganAtMs).toBeGreaterThan(2 * STALL_MS);
    expect(atServer.destroyed).toBe(false);
  });

  it('given an unread response, when this process is suspended for longer than it may stall, then the connection stays open', async () => {
    socket.pause();
    ask('/large');
    await atTheLatest(STALL_MS / 2);
    // Nothing runs meanwhile, neither the reader nor the timer of the checks.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2 * STALL_MS);
    let received = 0;
    while (received < BODY.length) {
      const chunk = socket.read() as Buffer | null;
      if (chunk === null) await once(socket, 'readable');
      received += chunk?.length ?? 0;
    }
    expect(atServer.destroyed).toBe(false);
  });

  it.each(['/small', '/never-answered'])(
    'given a connection on which nothing waits to be sent, when it is idle after %s, then it stays open',
    async (path) => {
      socket.resume();
      ask(path);
      expect(await Promise.race([once(atServer, 'close'), atTheLatest(2 * STALL_MS)])).toBe('open');
    },
  );
});
