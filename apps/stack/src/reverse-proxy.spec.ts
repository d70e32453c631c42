import { once } from 'node:events';
import {
  Agent,
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { LIMITS } from '@settle/config';
import { eventually } from '@settle/testing';
import { ReverseProxy } from './reverse-proxy.js';
import type { Forwarding } from './proxied-request.js';

interface Instance {
  readonly url: string;
  readonly server: Server;
  readonly seen: IncomingMessage[];
}

const servers: Server[] = [];
const fronts: ReverseProxy[] = [];

async function instance(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<Instance> {
  const seen: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    seen.push(request);
    answer(request, response);
  });
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server, seen };
}

async function frontOf(
  instances: readonly { readonly url: string }[],
  forwarding: Forwarding = 'replaced',
): Promise<ReverseProxy> {
  const front = await ReverseProxy.listen({ host: '127.0.0.1', port: 0, forwarding });
  fronts.push(front);
  instances.forEach(({ url }, at) => {
    front.add(String(at), url);
    front.setReady(String(at), true);
  });
  return front;
}

const errorOf = async (response: Response) => ({
  status: response.status,
  retryAfter: response.headers.get('retry-after'),
  code: ((await response.json()) as { error: { code: string } }).error.code,
});
const says = (text: string) => (_request: IncomingMessage, response: ServerResponse) => void response.end(text);
const dies = (request: IncomingMessage) => void request.socket.destroy();

// Each waits a moment for connections that clients keep, all of them at once.
afterAll(async () => {
  await Promise.all(fronts.map((front) => front.close()));
  for (const server of servers) server.close().closeAllConnections();
});

describe('a request on its way through', () => {
  it('given a body and headers, when it is sent, then they arrive as they were, and whence it came is the truth', async () => {
    const echo = await instance((request, response) => {
      response.setHeader('set-cookie', ['a=1', 'b=2']);
      response.statusCode = 418;
      request.pipe(response);
    });
    const { url } = await frontOf([echo]);
    const body = 'x'.repeat(1_000_000);
    const headers = {
      'x-own': 'Ä'.normalize('NFC').charCodeAt(0).toString(),
      'x-forwarded-for': '6.6.6.6',
      host: 'a.example',
    };
    const response = await fetch(`${url}/a/../b/%2e?q=%zz`, { method: 'POST', body, headers });
    expect([response.status, response.headers.getSetCookie()]).toEqual([418, ['a=1', 'b=2']]);
    expect(await response.text()).toBe(body);
    expect(echo.seen[0]?.headers).toMatchObject({ 'x-own': '196', 'x-forwarded-for': '127.0.0.1' });
  });

  it('given a path that a URL parser would tidy up, when it is asked for, then it arrives as it is', async () => {
    const one = await instance(says('ok'));
    const { url } = await frontOf([one]);
    const asked = httpRequest(url, { path: '//a/../b/%2e?q=%zz' }).end();
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    response.resume();
    expect(one.seen[0]?.url).toBe('//a/../b/%2e?q=%zz');
  });

  it.each<[Forwarding, string]>([
    ['replaced', '127.0.0.1'],
    ['added to', '6.6.6.6, 127.0.0.1'],
    ['kept', '6.6.6.6'],
  ])('given that a word on the way is %s, when one comes, then that is passed on', async (forwarding, passedOn) => {
    const one = await instance(says('ok'));
    const { url } = await frontOf([one], forwarding);
    await fetch(url, { headers: { 'x-forwarded-for': '6.6.6.6' } });
    expect(one.seen[0]?.headers['x-forwarded-for']).toBe(passedOn);
  });

  it('given several instances, when requests come one after the other, then each gets some', async () => {
    const all = await Promise.all([says('0'), says('1'), says('2')].map(instance));
    const { url } = await frontOf(all);
    for (let n = 0; n < 9; n += 1) await (await fetch(url)).text();
    expect(all.map(({ seen }) => seen.length)).toEqual([3, 3, 3]);
  });

  it('given a body that an instance does not wait for, when it comes after the answer, then the connection goes on', async () => {
    const one = await instance(({ method }, response) => {
      response.statusCode = method === 'POST' ? 413 : 200;
      response.end(`to ${method}`);
    });
    const { url } = await frontOf([one]);
    const socket = connect(Number(new URL(url).port), '127.0.0.1').setEncoding('utf8');
    const answers = socket[Symbol.asyncIterator]();
    let text = '';
    const answered = async (end: string) => {
      while (!text.includes(end)) {
        const { value, done } = (await answers.next()) as { value: string; done: boolean };
        if (done) throw new Error(`The connection was closed after ${text}`);
        text += value;
      }
    };
    socket.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 200000\r\n\r\nx');
    await answered('to POST');
    expect(text).toMatch(/^HTTP\/1.1 413 [^]*connection: keep-alive/i);
    socket.write('x'.repeat(199_999));
    socket.write('GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
    await answered('to GET');
    socket.destroy();
  });

  it('given two Hosts, when they come, then the request is refused and no instance is asked', async () => {
    const one = await instance(says('ok'));
    const { url } = await frontOf([one]);
    const asked = httpRequest(url, { headers: ['host', 'a.example', 'host', 'b.example'] }).end();
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    expect([response.statusCode, JSON.parse(await textOf(response))]).toMatchObject([
      400,
      { error: { code: 'invalid_request' } },
    ]);
    expect(one.seen).toEqual([]);
  });
});

describe('an instance that goes away', () => {
  const gone = { url: 'http://127.0.0.1:1' };

  it('given one that refuses connections, when there is another, then the other answers, body and all', async () => {
    const other = await instance((request, response) => void request.pipe(response));
    const { url } = await frontOf([gone, other]);
    const answers = [1, 2, 3, 4].map(async () => (await fetch(url, { method: 'POST', body: 'whole' })).text());
    expect(await Promise.all(answers)).toEqual(['whole', 'whole', 'whole', 'whole']);
  });

  it('given an address whose requests take all places, when another address sends one, then it is answered, and one more of the first is refused', async () => {
    const places = LIMITS.stack.requestsPerInstance;
    const held: ServerResponse[] = [];
    const holds = await instance((request, response) => {
      if (request.url === '/quick') response.end('quick');
      else held.push(response);
    });
    const { url } = await frontOf([holds]);
    const agent = new Agent({ maxSockets: Infinity });
    const ask = (path: string) =>
      httpRequest(url + path, { localAddress: '127.0.0.2', agent }).on('response', (answer) => answer.resume());
    for (let sent = 0; sent < places; sent += 64) {
      for (let more = 0; more < 64; more += 1) ask('/held').end();
      await eventually(() => expect(held.length).toBe(sent + 64));
    }
    expect(await (await fetch(`${url}/quick`)).text()).toBe('quick');
    const [refused] = (await once(ask('/quick').end(), 'response')) as [IncomingMessage];
    expect(refused.statusCode).toBe(503);
    for (const response of held) response.end();
  });

  it('given no instance, when a payment is posted, then 503 says when to retry: nothing was begun', async () => {
    const refusal = { status: 503, retryAfter: '1', code: 'service_unavailable' };
    const { url } = await frontOf([gone]);
    expect(await errorOf(await fetch(url, { method: 'POST', body: 'x' }))).toEqual(refusal);
    expect(await errorOf(await fetch((await frontOf([])).url))).toEqual(refusal);
  });

  it('given an instance that dies with a request, when that was a payment, then 504 and no other instance gets it', async () => {
    const [one, two] = await Promise.all([instance(dies), instance(dies)]);
    const { url } = await frontOf([one, two]);
    expect(await errorOf(await fetch(url, { method: 'POST', body: 'x' }))).toEqual({
      status: 504,
      retryAfter: null,
      code: 'outcome_unknown',
    });
    expect(one.seen.length + two.seen.length).toBe(1);
    expect(await errorOf(await fetch(url))).toEqual({ status: 503, retryAfter: '1', code: 'service_unavailable' });
  });

  it('given one that dies within its answer, when the client reads, then the answer breaks off', async () => {
    const half = await instance((request, response) => {
      response.writeHead(200, { 'content-length': 10 });
      response.write('half', () => request.socket.destroy());
    });
    const { url } = await frontOf([half]);
    await expect(fetch(url).then((response) => response.text())).rejects.toThrow();
  });
});

describe('an instance that leaves', () => {
  it('given a request in progress, when it is removed, then that is answered first and the next goes elsewhere', async () => {
    let finish = (): void => undefined;
    const slow = await instance((_request, response) => (finish = () => void response.end('slow')));
    const { url } = await frontOf([slow]);
    const front = fronts.at(-1)!;
    const first = fetch(url);
    while (slow.seen.length === 0) await new Promise(setImmediate);
    front.add('other', (await instance(says('other'))).url);
    front.setReady('other', true);
    let hasLeft = false;
    const left = front.remove('0').then(() => (hasLeft = true));
    expect(await (await fetch(url)).text()).toBe('other');
    expect(hasLeft).toBe(false);
    finish();
    expect(await (await first).text()).toBe('slow');
    await left;
  });
});
