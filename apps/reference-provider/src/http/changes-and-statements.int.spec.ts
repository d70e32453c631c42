import { createPool } from '@settle/postgres';
import { eventually } from '@settle/testing';
import { createMessageSecret, parseProviderInfo } from '@settle/provider-api';
import { ProviderClient, SECOND_MS, startProvider, type RunningProvider } from '../../test/provider.fixture.js';

let running: RunningProvider;

beforeEach(async () => {
  running = await startProvider();
});
afterEach(() => running.close());

const iso = (ms: number): string => new Date(ms).toISOString();

describe('changes', () => {
  it('given changes of all kinds, when they are read in parts, then each version is listed in order', async () => {
    const { client, clock } = running;
    await client.chargeCard('4000003720000278', 'c1');
    const { changes, cursor } = await client.changes();
    expect(changes.map(({ kind, version }) => [kind, version])).toEqual([
      ['source', 1],
      ['source', 2],
      ['charge', 1],
    ]);
    expect((await client.changes(cursor)).changes).toEqual([]);
    clock.nowMs += 3 * SECOND_MS;
    await eventually(async () => {
      const later = await client.changes(cursor);
      expect(later.changes).toEqual([{ kind: 'charge', key: 'c1', version: 2, changed_at: iso(clock.nowMs) }]);
    });
    await running.restart();
    expect((await client.changes()).changes.slice(0, 3)).toEqual(changes);
    expect((await client.send('GET', '/changes?after=x')).status).toBe(400);
  });

  it('given more changes than fit into a page, when they are read, then pages follow each other', async () => {
    const { client } = running;
    const keys = Array.from({ length: 130 }, (_, at) => `c${at}`);
    for (const key of keys) await client.charge(key, 'test-card-1');
    expect((await client.changes()).changes.map(({ key }) => key)).toEqual(keys);
  });
});

describe('statements', () => {
  it('given money in and out, when a statement is read, then its rows and sums agree', async () => {
    const { client, clock } = running;
    const from = clock.nowMs;
    await client.charge('c0', 'test-card-1', 250);
    clock.nowMs += SECOND_MS;
    const [begin, time] = [iso(clock.nowMs), iso(clock.nowMs)];
    const sourceId = await client.addSource('4000000000007056');
    const charge = await client.charge('c1', sourceId, 1_000);
    const repayment = await client.repay('r1', 'c1', 400);
    const payout = await client.payOut('w1', sourceId, 50);
    const open = await client.chargeCard('4000000000003220', 'c2', 70);
    await client.chargeCard('4000000000000002', 'c3', 80);
    clock.nowMs += SECOND_MS;
    const end = iso(clock.nowMs);
    const { body } = await client.send('GET', `/statements?from=${begin}&to=${end}`);
    expect(body).toBe(
      [
        `reference-provider,USD,${begin},${end},250,800`,
        `c1,${charge.id},charge,1000,approved,${time}`,
        `r1,${repayment.id},repayment,400,paid,${time}`,
        `w1,${payout.id},payout,50,paid,${time}`,
        `c2,${open.id},charge,70,action_required,${time}`,
        '',
      ].join('\n'),
    );
    clock.nowMs += 3 * SECOND_MS;
    await eventually(async () => {
      expect((await client.readRepayment('r1')).state).toBe('returned');
      expect((await client.readPayout('w1')).state).toBe('returned');
    });
    const returned = iso(clock.nowMs);
    clock.nowMs += SECOND_MS;
    const whole = await client.send('GET', `/statements?from=${iso(from)}&to=${iso(clock.nowMs)}`);
    const lines = String(whole.body).split('\n');
    expect(lines[0]).toBe(`reference-provider,USD,${iso(from)},${iso(clock.nowMs)},0,1250`);
    expect(lines).toContain(`r1,${repayment.id},payout_return,400,returned,${returned}`);
    expect(lines).toContain(`w1,${payout.id},payout_return,50,returned,${returned}`);
  });

  it('given reversals, when a statement is read, then they stand under the key of their charge', async () => {
    const { client, clock } = running;
    const from = iso(clock.nowMs);
    await client.chargeCard('4000000000002685', 'c1', 600);
    clock.nowMs += 3 * SECOND_MS;
    const { id } = await client.reversal();
    const opened = iso(clock.nowMs);
    clock.nowMs += 3 * SECOND_MS;
    await eventually(async () => expect((await client.readReversal(id)).state).toBe('won'));
    const won = iso(clock.nowMs);
    clock.nowMs += SECOND_MS;
    const { body } = await client.send('GET', `/statements?from=${from}&to=${iso(clock.nowMs)}`);
    expect(String(body).split('\n').slice(2, 4)).toEqual([
      `c1,${id},reversal,600,open,${opened}`,
      `c1,${id},reversal_won,600,won,${won}`,
    ]);
  });

  it('given more rows than are read at once, when a statement is read, then it has all of them', async () => {
    const { client, clock, database } = running;
    const from = iso(clock.nowMs);
    const pool = createPool(database.url, { max: 1, name: 'spec' });
    await pool.query(
      `insert into bookings (kind, key, object_id, cents, state, booked_at)
       select 'charge', 'k' || n, 'ch_' || n, 1, 'approved', $1 from generate_series(1, 2500) n`,
      [new Date(clock.nowMs)],
    );
    await pool.end();
    clock.nowMs += SECOND_MS;
    const { body } = await client.send('GET', `/statements?from=${from}&to=${iso(clock.nowMs)}`);
    const keys = String(body)
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => line.split(',')[0]);
    expect(new Set(keys).size).toBe(2_500);
    expect(String(body).split('\n', 1)[0]).toBe(`reference-provider,USD,${from},${iso(clock.nowMs)},0,2500`);
  });

  it('given a period that has not ended or no period, when a statement is requested, then it is refused', async () => {
    const { client, clock } = running;
    const [now, later] = [iso(clock.nowMs), iso(clock.nowMs + 1)];
    for (const query of [`from=${now}&to=${later}`, `from=${now}&to=${now}`, `to=${now}`, 'from=a&to=b']) {
      expect((await client.send('GET', `/statements?${query}`)).status).toBe(400);
    }
  });
});

describe('signatures of requests', () => {
  it('given a request that is not signed, or by another secret, when it arrives, then it is refused', async () => {
    const { client, clock, url } = running;
    const stranger = new ProviderClient(url, createMessageSecret(), clock.now);
    for (const path of ['/', '/changes', '/charges/c1', '/statements?from=a&to=b']) {
      expect((await fetch(`${url()}${path}`)).status).toBe(401);
      expect((await stranger.send('GET', path)).status).toBe(401);
    }
    const value = { ...stranger.chargeBody('c1', 'test-card-1'), begin_before: stranger.beginBefore() };
    expect((await stranger.send('PUT', '/charges/c1', value)).status).toBe(401);
    expect((await client.send('GET', '/charges/c1')).status).toBe(404);
  });

  it('given two secrets, when either signs, then the request is accepted', async () => {
    const secrets = [createMessageSecret(), createMessageSecret()];
    const both = await startProvider({ secrets });
    try {
      for (const secret of secrets) {
        const { status, body } = await new ProviderClient(both.url, secret, both.clock.now).send('GET', '/');
        expect([status, parseProviderInfo(body)?.live]).toEqual([200, false]);
      }
    } finally {
      await both.close();
    }
  });
});
