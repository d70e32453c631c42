import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { HttpDrain } from './http-drain.js';

let server: Server;
let drain: HttpDrain;
let running: ServerResponse[];

beforeEach(async () => {
  running = [];
  server = createServer((request, response) => {
    if (request.url === '/unavailable') response.statusCode = 503;
    if (request.url === '/slow') running.push(response);
    else response.end('done');
  });
  drain = new HttpDrain(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

async function client(): Promise<Socket> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  await once(socket, 'connect');
  return socket;
}

/** Returns the response until the server ends the connection. */
async function untilClosed(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
  await once(socket, 'close');
  return text;
}

/** Ends each connection with the first response after this time. */
const endConnectionsAfter = (atMs: number) =>
  server.on('connection', (accepted: Socket) => drain.endAfter(accepted, atMs));

const GET = (path: string) => `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`;

describe('HttpDrain', () => {
  it('given no connection, when it drains, then it is done at once', async () => {
    const drained = drain.drain().then(() => 'drained');
    // A turn is shorter than any timer.
    expect(await Promise.race([drained, turn('waits')])).toBe('drained');
  });

  it('given a request that runs, when it drains, then it is answered, and told that the connection ends', async () => {
    const socket = await client();
    socket.write(GET('/slow'));
    await once(server, 'request');
    const answer = untilClosed(socket);
    const drained = drain.drain();
    running[0]?.end('late');
    expect(await answer).toMatch(/connection: close[^]*late$/i);
    await drained;
  });

  it('given an idle connection, when a request comes on it while it drains, then it is answered the same way', async () => {
    const socket = await client();
    const drained = drain.drain();
    const answer = untilClosed(socket);
    socket.write(GET('/'));
    expect(await answer).toMatch(/connection: close[^]*done$/i);
    await drained;
  });

  it('given requests one behind the other, when it drains, then all are answered, and the last response ends the connection', async () => {
    const socket = await client();
    socket.write(GET('/slow') + GET('/slow') + GET('/slow'));
    while (running.length < 3) await once(server, 'request');
    const answer = untilClosed(socket);
    const drained = drain.drain();
    for (const [index, response] of running.entries()) response.end(`answer ${index}`);
    const text = await answer;
    expect(text.match(/answer \d/g)).toEqual(['answer 0', 'answer 1', 'answer 2']);
    expect(text.match(/connection: close/gi)).toHaveLength(1);
    await drained;
  });

  it('given a connection whose time is over, when a request comes on it, then it ends with the response', async () => {
    endConnectionsAfter(0);
    const socket = await client();
    socket.write(GET('/'));
    expect(await untilClosed(socket)).toMatch(/connection: close[^]*done$/i);
  });

  it('given a connection whose time is not over, when a request comes on it, then it is kept', async () => {
    endConnectionsAfter(Infinity);
    const socket = await client();
    socket.write(GET('/'));
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/connection: keep-alive/i);
    socket.destroy();
  });

  it('given a connection that ends some time, when it has got a 503, then it ends with the first response a second later', async () => {
    endConnectionsAfter(Infinity);
    const socket = await client();
    const answer = untilClosed(socket);
    socket.write(GET('/unavailable') + GET('/'));
    // The second counts from the 503, which a busy machine sends late.
    await once(socket, 'data');
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    socket.write(GET('/'));
    expect((await answer).match(/connection: [a-z-]+/gi)).toEqual([
      expect.stringMatching(/keep-alive/),
      expect.stringMatching(/keep-alive/),
      expect.stringMatching(/close/),
    ]);
  });
});
