import { createServer as createTcpServer } from 'node:net';
import {
  GET,
  ScriptedProvider,
  call,
  charge,
  json,
  listen,
  problem,
  type Answer,
} from '../../test/provider/scripted-provider.fixture.js';

let provider: ScriptedProvider;
beforeEach(async () => {
  provider = new ScriptedProvider();
  await provider.start();
});
afterEach(() => provider.stop());

describe('answers that are no object', () => {
  const rubbish: readonly (readonly [string, Answer])[] = [
    ['text that is not JSON', json(200, '{"key":')],
    [
      'bytes that are not UTF-8',
      (response) => response.setHeader('content-type', 'application/json').end(Buffer.of(0xff)),
    ],
    ['an object of another kind', json(200, { ...charge, kind: 'payout' })],
    ['an object of another key', json(200, { ...charge, key: 'p1:u1:2' })],
    ['an unknown state', json(200, { ...charge, state: 'succeeded' })],
    ['another content type', json(200, charge, { 'content-type': 'text/html' })],
    ['a compressed body', json(200, charge, { 'content-encoding': 'gzip' })],
    ['status 500 with a valid object', json(500, charge)],
    ['status 202 with a valid object', json(202, charge)],
    ['status 409', json(409, problem('key_conflict'))],
    ['status 410', json(410, problem('too_late'))],
    ['a 404 of something in between', json(404, '<html>', { 'content-type': 'text/html' })],
    ['a 404 in another form', json(404, { statusCode: 404, error: 'Not Found' })],
    ['ten megabytes', json(200, JSON.stringify({ ...charge, more: 'x'.repeat(10_000_000) }))],
    [
      'ten megabytes of unknown length',
      (response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        for (let part = 0; part < 160; part += 1) response.write(' '.repeat(65_536));
        response.end(JSON.stringify(charge));
      },
    ],
    ['a closed connection', (response) => void response.destroy()],
    [
      'half of a body',
      (response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': '900' });
        response.write('{"key"', () => response.destroy());
      },
    ],
    ['headers that are too large', json(200, charge, { 'x-large': 'x'.repeat(100_000) })],
  ];

  it.each(rubbish)(
    'given %s, when a charge is put, then it is unknown, and the next one is answered',
    async (_, bad) => {
      const client = provider.client();
      provider.answer = bad;
      expect(await client.charge(call)).toBe('unknown');
      provider.answer = json(200, charge);
      expect(await client.charge(call)).toMatchObject({ state: 'approved' });
    },
  );

  it.each([301, 302, 303, 307, 308])(
    'given status %i, when a charge is put, then it is not followed',
    async (status) => {
      provider.answer = json(status, charge, { location: `${provider.url}/charges/other` });
      expect(await provider.client().charge(call)).toBe('unknown');
      expect(provider.received).toHaveLength(1);
    },
  );

  it('given a 404 of the interface, when a charge is read, then it is missing', async () => {
    provider.answer = json(404, problem('not_found'));
    expect(await provider.client().charge({ ...call, request: GET })).toBe('missing');
    expect(await provider.client().read('reversal', 'rev_1')).toBe('missing');
  });

  it.each<readonly [string, Answer]>([
    ['nothing', () => undefined],
    [
      'one byte at a time',
      (response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        const timer = setInterval(() => response.write(' '), 20);
        response.on('close', () => clearInterval(timer));
      },
    ],
  ])('given a provider that sends %s, when the time is over, then it is unknown', async (_, slow) => {
    provider.answer = slow;
    expect(await provider.client({ timeouts: { connectMs: 2_000, totalMs: 200 } }).charge(call)).toBe('unknown');
  });

  it('given a server that accepts and never speaks TLS, when connecting takes too long, then it is unknown', async () => {
    const mute = createTcpServer((socket) => void socket.on('error', () => undefined).resume());
    const port = await listen(mute);
    const client = provider.client({
      url: `https://127.0.0.1:${port}`,
      timeouts: { connectMs: 100, totalMs: 2_000_000_000 },
    });
    expect(await client.charge(call)).toBe('unknown');
    await client.close();
    await new Promise((resolve) => mute.close(resolve));
  });

  it('given a port on which nothing listens, when a charge is put, then it is unknown', async () => {
    const free = createTcpServer();
    const port = await listen(free);
    await new Promise((resolve) => free.close(resolve));
    expect(await provider.client({ url: `http://127.0.0.1:${port}` }).charge(call)).toBe('unknown');
  });
});
