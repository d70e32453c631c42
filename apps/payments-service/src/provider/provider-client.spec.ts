import { createServer, type ServerResponse } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { Metrics, createLogger } from '@settle/observability';
import { createMessageSecret, parseChargeRequest, verifyMessage } from '@settle/provider-api';
import { Clock } from '../storage/clock.js';
import {
  GET,
  NOW_MS,
  RUBBISH,
  call,
  charge,
  common,
  json,
  listen,
  problem,
  repayment,
  type Answer,
  type Received,
} from '../../test/provider/provider-responses.fixture.js';
import { ProviderClient } from './provider-client.js';

let received: Received[];
let answer: Answer;
let url: string;
let clients: ProviderClient[];
const secrets = [createMessageSecret(), createMessageSecret()];
const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const { method, url: path, headers } = request;
    received.push({ method, url: path, headers, body: Buffer.concat(chunks).toString() });
    answer(response, request);
  });
});

function clientFor(address: string, timeouts = { connectMs: 2_000, totalMs: 50_000 }, metrics?: Metrics) {
  const client = new ProviderClient({
    provider: { url: address, secret: secrets.join('\n') },
    pages: { pageOrigins: ['https://pages.example'], allowLoopbackPages: false },
    clock: new Clock(() => NOW_MS),
    logger: createLogger({ level: 'silent', service: 'spec' }),
    timeouts,
    metrics,
  });
  clients.push(client);
  return client;
}

beforeAll(async () => {
  url = `http://127.0.0.1:${await listen(server)}/base`;
});
beforeEach(() => {
  [received, clients, answer] = [[], [], json(200, charge)];
});
afterEach(async () => {
  await Promise.all(clients.map((client) => client.close()));
  server.closeAllConnections();
});
afterAll(() => void server.close());

describe('requests to the provider', () => {
  it('given a charge, when it is put, then the provider gets a signed body with its key, and the answer is returned', async () => {
    expect(await clientFor(url).charge(call)).toEqual({
      state: 'approved',
      id: 'ch_1',
      amountCents: 2_500,
      currency: 'USD',
      code: null,
      version: 1,
      nextAction: null,
    });
    const [{ method, url: path, headers, body }] = received as [Received];
    expect([method, path]).toEqual(['PUT', '/base/charges/p1%3Au1%3A1']);
    expect(parseChargeRequest(JSON.parse(body))).toEqual({
      key: call.key,
      user: 'u1',
      source_key: 's1',
      amount: 2_500,
      currency: 'USD',
      begin_before: '2027-01-15T08:00:30.000Z',
    });
    for (const secret of secrets) {
      expect(verifyMessage(headers, body, { secrets: [secret], nowSeconds: NOW_MS / 1_000 })).not.toBeNull();
    }
  });

  it('given a charge to be cancelled, when it is asked about, then the cancel goes first and the GET decides', async () => {
    let requests = 0;
    answer = (...args) => ((requests += 1) === 1 ? json(500, '') : json(200, charge))(...args);
    const request = { ...GET, cancels: true };
    expect(await clientFor(url).charge({ ...call, request })).toMatchObject({ state: 'approved' });
    expect(received.map(({ method, url: path }) => `${method} ${path}`)).toEqual([
      'POST /base/charges/p1%3Au1%3A1/cancel',
      'GET /base/charges/p1%3Au1%3A1',
    ]);
    expect(verifyMessage(received[1]!.headers, '', { secrets, nowSeconds: NOW_MS / 1_000 })).not.toBeNull();
  });

  it('given a repayment, when it is put, then it names its charge; the answer for another charge is unknown', async () => {
    const repay = { ...call, key: repayment.key, chargeKey: call.key };
    answer = json(200, repayment);
    expect(await clientFor(url).repay(repay)).toMatchObject({ state: 'paid' });
    expect(JSON.parse(received[0]!.body)).toMatchObject({ charge_key: call.key, key: repayment.key });
    answer = json(200, { ...repayment, charge_key: 'p1:u1:2' });
    expect(await clientFor(url).repay(repay)).toBe('unknown');
  });

  it('given changes, when they are read after a cursor, then a page and the next cursor are returned', async () => {
    const change = { kind: 'charge', key: 'p1:u1:1', version: 2, changed_at: common.created_at };
    answer = json(200, { changes: [change], cursor: 'c 2'.replace(' ', '&') });
    expect(await clientFor(url).changesAfter('c&1')).toEqual({ changes: [change], cursor: 'c&2' });
    await clientFor(url).changesAfter(null);
    expect(received.map(({ url: path }) => path)).toEqual(['/base/changes?after=c%261', '/base/changes']);
    answer = json(404, problem('not_found'));
    expect(await clientFor(url).changesAfter(null)).toBe('unknown');
  });

  it.each([
    ['https://pages.example/3ds', true],
    ['https://evil.example/3ds', false],
    ['https://user@pages.example/3ds', false],
    ['http://127.0.0.1:4000/3ds', false],
  ])('given the page %s, when a charge needs the user, then whether it is returned is %s', async (page, isReturned) => {
    const next_action = { url: page, expires_at: common.created_at };
    answer = json(200, { ...charge, state: 'action_required', next_action });
    const nextAction = isReturned ? next_action : null;
    expect(await clientFor(url).charge(call)).toMatchObject({ state: 'action_required', nextAction });
  });
});

describe('answers that are no object', () => {
  it.each(RUBBISH)(
    'given %s, when a charge is put, then it is unknown, and the next one is answered',
    async (_, bad) => {
      const client = clientFor(url);
      answer = bad;
      expect(await client.charge(call)).toBe('unknown');
      answer = json(200, charge);
      expect(await client.charge(call)).toMatchObject({ state: 'approved' });
    },
  );

  it.each([301, 302, 303, 307, 308])(
    'given status %i, when a charge is put, then it is not followed',
    async (status) => {
      answer = json(status, charge, { location: `${url}/charges/other` });
      expect(await clientFor(url).charge(call)).toBe('unknown');
      expect(received).toHaveLength(1);
    },
  );

  it('given a 404 of the interface, when a charge is read, then it is missing', async () => {
    answer = json(404, problem('not_found'));
    expect(await clientFor(url).charge({ ...call, request: GET })).toBe('missing');
    expect(await clientFor(url).read('reversal', 'rev_1')).toBe('missing');
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
    answer = slow;
    expect(await clientFor(url, { connectMs: 2_000, totalMs: 200 }).charge(call)).toBe('unknown');
  });

  it('given a server that accepts and never speaks TLS, when connecting takes too long, then it is unknown', async () => {
    const mute = createTcpServer((socket) => void socket.on('error', () => undefined).resume());
    const port = await listen(mute);
    const client = clientFor(`https://127.0.0.1:${port}`, { connectMs: 100, totalMs: 2_000_000_000 });
    expect(await client.charge(call)).toBe('unknown');
    await client.close();
    await new Promise((resolve) => mute.close(resolve));
  });

  it('given a port on which nothing listens, when a charge is put, then it is unknown', async () => {
    const free = createTcpServer();
    const port = await listen(free);
    await new Promise((resolve) => free.close(resolve));
    expect(await clientFor(`http://127.0.0.1:${port}`).charge(call)).toBe('unknown');
  });
});

describe('bounds', () => {
  it('given more charges than slots and queue, when they are requested at once, then the last are unknown at once and the others answered', async () => {
    const held: ServerResponse[] = [];
    let release = () => undefined as void;
    const isFull = new Promise<void>((resolve) => (release = resolve));
    answer = (response) => {
      held.push(response);
      if (held.length === 64) release();
    };
    const metrics = new Metrics();
    const client = clientFor(url, undefined, metrics);
    const all = Array.from({ length: 64 + 256 }, () => client.charge(call));
    await isFull;
    expect(await client.charge(call)).toBe('unknown');
    const text = await metrics.text();
    expect(text).toContain('settle_provider_requests_in_progress{state="running"} 64');
    expect(text).toContain('settle_provider_requests_in_progress{state="waiting"} 256');
    answer = json(200, { changes: [], cursor: 'c1' });
    expect(await client.changesAfter(null)).toEqual({ changes: [], cursor: 'c1' });
    answer = json(200, charge);
    for (const response of held) json(200, charge)(response, received as never);
    expect((await Promise.all(all)).filter((one) => one === 'unknown')).toEqual([]);
    expect(await metrics.text()).toContain(
      'settle_provider_request_duration_seconds_count{operation="charge",outcome="ok"} 320',
    );
  });
});
