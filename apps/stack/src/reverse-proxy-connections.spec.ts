import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { LIMITS } from '@settle/config';
import { eventually } from '@settle/testing';
import { ReverseProxy } from './reverse-proxy.js';

let front: ReverseProxy;
let instance: Server;
let seen: IncomingMessage[];
let answer: (request: IncomingMessage, response: ServerResponse) => void;

beforeEach(async () => {
  seen = [];
  answer = (_request, response) => void response.end('ok');
  instance = createServer((request, response) => {
    seen.push(request);
    answer(request, response);
  });
  instance.maxHeadersCount = 0;
  instance.listen(0, '127.0.0.1');
  await once(instance, 'listening');
  front = await ReverseProxy.listen({ host: '127.0.0.1', port: 0, forwarding: 'replaced' });
  front.add('0', `http://127.0.0.1:${(instance.address() as AddressInfo).port}`);
  front.setReady('0', true);
});
afterEach(async () => {
  await front.close();
  instance.close().closeAllConnections();
});

function client(): Socket {
  return connect({ port: Number(new URL(front.url).port), host: '127.0.0.1', allowHalfOpen: true }).setEncoding('utf8');
}

/** Everything that comes back until the front closes the connection. */
async function received(socket: Socket): Promise<string> {
  let text = '';
  for await (const chunk of socket) text += chunk as string;
  return text;
}

const GET = 'GET / HTTP/1.1\r\nhost: x\r\n';

describe('a connection to the front', () => {
  it('given bytes that are no request, when they come, then they are refused as the gateway does', async () => {
    expect(await received(client().end('HELLO\r\n\r\n'))).toMatch(/^HTTP\/1.1 400 [^]*"code":"invalid_request"/);
  });

  it('given requests without an answer, when bytes that are no request follow, then they are answered before these are refused', async () => {
    const held: ServerResponse[] = [];
    answer = (request, response) => void request.resume().on('end', () => held.push(response));
    const request = 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 4\r\n\r\nbody';
    const socket = client();
    socket.write(`${request}${request}"}`);
    while (held.length < 2) await new Promise(setImmediate);
    for (const response of held.toReversed()) response.end('done');
    const statuses = [...(await received(socket)).matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status);
    expect(statuses).toEqual(['200', '200', '400']);
  });

  it('given a request, when its sender closes its own side, then it is answered', async () => {
    answer = (_request, response) => void setImmediate(() => response.end('late'));
    expect(await received(client().end(`${GET}\r\n`))).toMatch(/^HTTP\/1.1 200 [^]*late/);
  });

  it.each([
    ['a body in another transfer encoding', 'HTTP/1.1\r\ntransfer-encoding: gzip, chunked', 415],
    ['HTTP/2.0', 'HTTP/2.0', 400],
    ['RTSP/1.0', 'RTSP/1.0', 400],
  ])('given %s, when it comes, then it is refused and no instance is asked', async (_name, version, status) => {
    const bytes = `POST / ${version}\r\nhost: x\r\nconnection: close\r\n\r\n0\r\n\r\n`;
    const text = await received(client().end(bytes));
    expect([Number(text.slice(9, 12)), seen]).toEqual([status, []]);
  });

  it('given 3,000 headers, when they come, then all of them are passed on', async () => {
    await received(client().end(`${GET}${'a:\r\n'.repeat(3_000)}last: 1\r\n\r\n`));
    expect(seen[0]?.headers).toHaveProperty('last', '1');
  });
});

describe('answers that clients do not read', () => {
  const { answersPaused, requestsPerInstance } = LIMITS.stack;
  const CONNECTIONS = 6;

  it.each([
    ['large', 200_000],
    ['small', 1_000],
  ])(
    'given more unread %s responses than an instance has connections, when other clients send requests, then they are served',
    async (_size, bytes) => {
      // Beyond the buffers of a connection on loopback.
      const first = Buffer.alloc(8_000_000);
      const later = Buffer.alloc(bytes);
      answer = ({ url }, response) => void response.end(url === '/first' ? first : url === '/later' ? later : 'ok');
      const request = (path: string) => `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`;
      const unread = Array.from({ length: CONNECTIONS }, () =>
        client()
          .on('error', () => undefined)
          .pause(),
      );
      for (const socket of unread) socket.write(request('/first') + request('/later').repeat(requestsPerInstance / 4));
      // Some are cut off before all of theirs has reached the instance.
      while (seen.length < answersPaused) await new Promise(setImmediate);
      // All come from one address, which holds every place of the instance until the first ones are cut off.
      await eventually(async () => expect((await fetch(front.url)).status).toBe(200));
      for (let asked = 0; asked < 50; asked += 1) expect((await fetch(front.url)).status).toBe(200);
      for (const socket of unread) socket.destroy();
    },
  );
});
