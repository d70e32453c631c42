import type { ServerResponse } from 'node:http';
import { Metrics } from '@settle/observability';
import { parseChargeRequest, verifyMessage } from '@settle/provider-api';
import {
  GET,
  NOW_MS,
  ScriptedProvider,
  call,
  charge,
  common,
  json,
  problem,
  repayment,
  secrets,
  type Received,
} from '../../test/provider/scripted-provider.fixture.js';
import { Clock } from '../storage/clock.js';

let provider: ScriptedProvider;
beforeEach(async () => {
  provider = new ScriptedProvider();
  await provider.start();
});
afterEach(() => provider.stop());

describe('requests to the provider', () => {
  it('given a charge, when it is put, then the provider gets a signed body with its key, and the answer is returned', async () => {
    expect(await provider.client().charge(call)).toEqual({
      state: 'approved',
      id: 'ch_1',
      amountCents: 2_500,
      currency: 'USD',
      code: null,
      version: 1,
      nextAction: null,
    });
    const [{ method, url: path, headers, body }] = provider.received as [Received];
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

  it('given a clock that is set back by an hour, when a charge is put, then its signature has the new time', async () => {
    let nowMs = NOW_MS;
    const clock = new Clock(() => nowMs);
    clock.nowUs();
    nowMs -= 3_600_000;
    await provider.client({ clock }).charge(call);
    const [{ headers, body }] = provider.received as [Received];
    expect(verifyMessage(headers, body, { secrets, nowSeconds: nowMs / 1_000 })).not.toBeNull();
  });

  it('given a charge to be cancelled, when it is asked about, then the cancel goes first and the GET decides', async () => {
    let requests = 0;
    provider.answer = (...args) => ((requests += 1) === 1 ? json(500, '') : json(200, charge))(...args);
    const request = { ...GET, cancels: true };
    expect(await provider.client().charge({ ...call, request })).toMatchObject({ state: 'approved' });
    expect(provider.received.map(({ method, url: path }) => `${method} ${path}`)).toEqual([
      'POST /base/charges/p1%3Au1%3A1/cancel',
      'GET /base/charges/p1%3Au1%3A1',
    ]);
    expect(verifyMessage(provider.received[1]!.headers, '', { secrets, nowSeconds: NOW_MS / 1_000 })).not.toBeNull();
  });

  it('given a repayment, when it is put, then it names its charge; the answer for another charge is unknown', async () => {
    const repay = { ...call, key: repayment.key, chargeKey: call.key };
    provider.answer = json(200, repayment);
    expect(await provider.client().repay(repay)).toMatchObject({ state: 'paid' });
    expect(JSON.parse(provider.received[0]!.body)).toMatchObject({ charge_key: call.key, key: repayment.key });
    provider.answer = json(200, { ...repayment, charge_key: 'p1:u1:2' });
    expect(await provider.client().repay(repay)).toBe('unknown');
  });

  it('given changes, when they are read after a cursor, then a page and the next cursor are returned', async () => {
    const change = { kind: 'charge', key: 'p1:u1:1', version: 2, changed_at: common.created_at };
    provider.answer = json(200, { changes: [change], cursor: 'c 2'.replace(' ', '&') });
    const page = { changes: [change], unreadable: 0, cursor: 'c&2', isEnd: false };
    expect(await provider.client().changesAfter('c&1')).toEqual(page);
    await provider.client().changesAfter(null);
    expect(provider.received.map(({ url: path }) => path)).toEqual(['/base/changes?after=c%261', '/base/changes']);
    provider.answer = json(404, problem('not_found'));
    expect(await provider.client().changesAfter(null)).toBe('unknown');
  });

  it('given a page with changes that break the interface, when it is read, then the others are returned', async () => {
    const change = { kind: 'charge', key: 'p1:u1:1', version: 2, changed_at: common.created_at };
    const listed = [{ ...change, kind: 'fee' }, change, { ...change, version: 'two' }, null];
    provider.answer = json(200, { changes: listed, cursor: 'c2' });
    const page = { changes: [change], unreadable: 3, cursor: 'c2', isEnd: false };
    expect(await provider.client().changesAfter(null)).toEqual(page);
    provider.answer = json(200, { changes: Array.from({ length: 101 }, () => change), cursor: 'c2' });
    expect(await provider.client().changesAfter(null)).toBe('unknown');
  });

  it('given a provider that is not checked, when it is asked, then only what it says of itself is read', async () => {
    let isChecked = false;
    const client = provider.client({ isChecked: () => isChecked });
    expect([await client.charge(call), await client.changesAfter(null)]).toEqual(['unknown', 'unknown']);
    provider.answer = json(200, { name: 'Test', live: false });
    expect(await client.readProvider()).toEqual({ name: 'Test', live: false });
    expect(provider.received.map(({ url: path }) => path)).toEqual(['/base/']);
    isChecked = true;
    provider.answer = json(200, charge);
    expect(await client.charge(call)).toMatchObject({ state: 'approved' });
  });

  it.each([
    ['https://pages.example/3ds', true],
    ['https://evil.example/3ds', false],
    ['https://user@pages.example/3ds', false],
    ['http://127.0.0.1:4000/3ds', false],
  ])('given the page %s, when a charge needs the user, then whether it is returned is %s', async (page, isReturned) => {
    const next_action = { url: page, expires_at: common.created_at };
    provider.answer = json(200, { ...charge, state: 'action_required', next_action });
    const nextAction = isReturned ? next_action : null;
    expect(await provider.client().charge(call)).toMatchObject({ state: 'action_required', nextAction });
  });
});

describe('bounds', () => {
  it('given more charges than slots and queue, when they are requested at once, then the last are unknown at once and the others answered', async () => {
    const held: ServerResponse[] = [];
    let release = () => undefined as void;
    const isFull = new Promise<void>((resolve) => (release = resolve));
    provider.answer = (response) => {
      held.push(response);
      if (held.length === 64) release();
    };
    const metrics = new Metrics();
    const client = provider.client({ metrics });
    const all = Array.from({ length: 64 + 256 }, () => client.charge(call));
    await isFull;
    expect(await client.charge(call)).toBe('unknown');
    const text = await metrics.text();
    expect(text).toContain('settle_provider_requests_in_progress{state="running"} 64');
    expect(text).toContain('settle_provider_requests_in_progress{state="waiting"} 256');
    provider.answer = json(200, { changes: [], cursor: 'c1' });
    expect(await client.changesAfter(null)).toMatchObject({ changes: [], cursor: 'c1', isEnd: true });
    provider.answer = json(200, charge);
    for (const response of held) json(200, charge)(response);
    expect((await Promise.all(all)).filter((one) => one === 'unknown')).toEqual([]);
    expect(await metrics.text()).toContain(
      'settle_provider_request_duration_seconds_count{operation="charge",outcome="ok"} 320',
    );
  });
});
