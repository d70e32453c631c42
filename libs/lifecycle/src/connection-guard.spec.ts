import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { guardConnections } from './connection-guard.js';
import { HttpDrain } from './http-drain.js';

let server: Server;
/** Requests that wait for their answer, oldest first. */
let waiting: { readonly request: IncomingMessage; readonly response: ServerResponse }[];
let socket: Socket;
let text: string;

beforeEach(async () => {
  waiting = [];
  server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    waiting.push({ request, response });
    request.resume();
  });
  guardConnections(server, new HttpDrain(server));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  text = '';
  socket = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', allowHalfOpen: true });
  socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
  await once(socket, 'connect');
});
afterEach(() => {
  socket.destroy();
  server.close();
  server.closeAllConnections();
});

const post = (path: string, body = 'body') =>
  `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
/** Status and body of each response that has come. */
const answers = () =>
  text
    .split(/(?=HTTP\/1\.1 \d{3} )/)
    .filter((response) => response !== '')
    .map((response) => [response.slice(9, 12), response.slice(response.indexOf('\r\n\r\n') + 4)]);
const REFUSED = ['400', expect.stringContaining('invalid_request')];

async function arrived(count: number): Promise<void> {
  while (waiting.length < count) await once(server, 'request');
}

async function closed(): Promise<void> {
  if (!socket.readableEnded) await once(socket, 'end');
}

/** The server has seen that no more will come. */
async function senderDone(): Promise<void> {
  const received = waiting[0]?.request.socket;
  if (received !== undefined && !received.readableEnded) await once(received, 'end');
}

function answer(index: number): void {
  waiting[index]?.response.end(`to ${waiting[index]?.request.url}`);
}

describe('a connection on which something cannot be read', () => {
  it('given a request without an answer, when bytes that are no request follow, then it is answered and they are refused', async () => {
    socket.write(`${post('/a')}"}`);
    await arrived(1);
    answer(0);
    await closed();
    expect(answers()).toEqual([['200', 'to /a'], REFUSED]);
  });

  it('given two requests without an answer, when the second is answered first, then the answers keep their order', async () => {
    socket.write(`${post('/a')}${post('/b')}\0\0`);
    await arrived(2);
    answer(1);
    await new Promise(setImmediate);
    expect(text).toBe('');
    answer(0);
    await closed();
    expect(answers()).toEqual([['200', 'to /a'], ['200', 'to /b'], REFUSED]);
  });

  it('given a request without an answer, when the body of the next one cannot be read, then that one alone is refused', async () => {
    socket.write(`${post('/a')}POST /b HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n`);
    await arrived(2);
    answer(0);
    await closed();
    expect(answers()).toEqual([['200', 'to /a'], REFUSED]);
  });

  it('given a request without an answer, when half a request and the end of the connection follow, then both are answered', async () => {
    socket.end(`${post('/a')}POST /b HTTP/1.1\r\nhos`);
    await arrived(1);
    answer(0);
    await closed();
    expect(answers()).toEqual([['200', 'to /a'], REFUSED]);
  });

  it('given a body that is answered before its end, when it cannot be read, then there is no second answer', async () => {
    socket.write(`${post('/a')}POST /b HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n1\r\n`);
    await arrived(2);
    answer(1);
    socket.write('zzzz\r\n');
    await once(server, 'clientError');
    answer(0);
    await closed();
    expect(answers()).toEqual([
      ['200', 'to /a'],
      ['200', 'to /b'],
    ]);
  });

  it('given a refusal, when more arrives, then the connection is not reset before the refusal is read', async () => {
    socket.write('HELLO\r\n\r\n');
    for (let n = 0; n < 50; n += 1) socket.write('x'.repeat(10_000));
    await closed();
    expect(answers()).toEqual([REFUSED]);
  });

  it('given a request without an answer, when CONNECT follows, then it is answered and the tunnel is refused', async () => {
    socket.write(`${post('/a')}CONNECT x:1 HTTP/1.1\r\nhost: x\r\n\r\n`);
    await arrived(1);
    answer(0);
    await closed();
    expect(answers()).toEqual([
      ['200', 'to /a'],
      ['405', expect.stringContaining('method_not_allowed')],
    ]);
  });
});

describe('a connection that is lost', () => {
  it('given answers that wait for an earlier one, when the connection is lost, then none of them is in progress any more', async () => {
    let closedCount = 0;
    socket.write(post('/a') + post('/b') + post('/c'));
    await arrived(3);
    for (const { response } of waiting) response.once('close', () => (closedCount += 1));
    answer(1);
    const received = waiting[0]?.request.socket;
    socket.resetAndDestroy();
    await new Promise((resolve) => received?.once('close', resolve));
    expect(closedCount).toBe(3);
  });
});

describe('a sender who has closed its side', () => {
  it('given a whole request, when its sender sends no more, then it is answered and the connection ends', async () => {
    socket.end(post('/a'));
    await arrived(1);
    await senderDone();
    answer(0);
    await closed();
    expect(answers()).toEqual([['200', 'to /a']]);
  });

  it('given several requests, when their sender sends no more, then each is answered', async () => {
    socket.end(post('/a') + post('/b') + post('/c'));
    await arrived(3);
    await senderDone();
    for (const index of [2, 0, 1]) answer(index);
    await closed();
    expect(answers().map(([, body]) => body)).toEqual(['to /a', 'to /b', 'to /c']);
  });
});

describe('a sender who waits to be asked for the body', () => {
  const head = (length: number) =>
    `POST /a HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\ncontent-length: ${length}\r\n\r\n`;

  it('given a body that may be sent, when it is announced, then it is asked for', async () => {
    socket.write(head(4));
    await once(socket, 'data');
    expect(text).toBe('HTTP/1.1 100 Continue\r\n\r\n');
  });

  it('given a body that is too large, when it is announced, then it is not asked for, and the answer ends the connection', async () => {
    socket.write(head(65_537));
    await arrived(1);
    answer(0);
    await closed();
    expect(text).toMatch(/^HTTP\/1\.1 200 [^]*connection: close[^]*to \/a$/i);
  });
});
