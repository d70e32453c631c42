import { runAtRate } from '@settle/testing';
import { runPaymentsCommand } from './payments-command.fixture.js';
import { baseUrl } from './client.js';
import { PacedLoad } from './paced-load.fixture.js';
import { type TestUser, loadDemoUser, unknownEmail } from './users.js';

const TABLES = [
  'payments',
  'ledger_entries',
  'fee_entries',
  'payout_entries',
  'open_work',
  'funding',
  'monthly_activity',
];
/** The rate of all payers together. `OPERATORS_LOAD_SECONDS` makes the load longer. */
const PAYMENTS_PER_SECOND = 100;
/** The share of the requested rate that must be reached. */
const PACE_KEPT = 0.95;
/** The rate of users who also cancel, and read the payments of others. */
const VISITS_PER_SECOND = 10;
const LOAD_SECONDS = Number(process.env.OPERATORS_LOAD_SECONDS ?? 3);

describe('commands of an operator beside the running product', () => {
  let alice: TestUser;
  let bob: TestUser;

  beforeAll(async () => {
    [alice, bob] = await Promise.all([loadDemoUser('alice'), loadDemoUser('bob')]);
  });

  /** Pays, cancels now and then, and reads the payment as the other party. Rejects with the response that failed. */
  async function visit(index: number): Promise<void> {
    const [actor, target] = index % 2 === 0 ? [alice, bob] : [bob, alice];
    const isHeld = index % 4 === 3;
    const sent = await actor.send(isHeld ? { email: unknownEmail() } : { user_id: target.id }, 0.01);
    if (sent.status !== 200) throw new Error(sent.text);
    const { id } = sent.body.data.payment;
    const responses = isHeld ? [await actor.act(id, 'cancel'), await actor.read(id)] : [await target.read(id)];
    for (const { status, text } of responses) if (status !== 200) throw new Error(text);
  }

  it('given 100 payments/s, when every read model is rebuilt meanwhile, then no request fails and all rows are equal', async () => {
    const before = (await alice.balanceCents()) + (await bob.balanceCents());
    const beganAtMs = performance.now();
    const endsAtMs = beganAtMs + LOAD_SECONDS * 1_000;
    let isRebuilt = false;
    const visiting = runAtRate({ perSecond: VISITS_PER_SECOND, isOver: () => isRebuilt }, visit);
    const { origin: url } = new URL(baseUrl());
    const load = new PacedLoad({ url, wallets: [alice, bob], perSecond: PAYMENTS_PER_SECOND, name: 'rebuild' });
    const told: string[] = [];
    while (told.length === 0 || performance.now() < endsAtMs)
      told.push(await runPaymentsCommand('projections', 'rebuild', 'all'));
    isRebuilt = true;
    const sent = await load.stop();
    expect(sent.filter(({ outcome }) => outcome.kind !== 'acknowledged')).toEqual([]);
    expect((await visiting).failures).toEqual([]);
    const seconds = (Math.max(...sent.map(({ sentAtMs }) => sentAtMs)) - beganAtMs) / 1_000;
    expect(sent.length / seconds).toBeGreaterThan(PAYMENTS_PER_SECOND * PACE_KEPT);
    for (const text of told) {
      for (const table of TABLES) expect(text).toMatch(new RegExp(`, ${table}: live .*; 0 rows differ`));
      expect(text).toMatch(/^Switched at position \d+/m);
    }
    expect((await alice.balanceCents()) + (await bob.balanceCents())).toBe(before);
  }, 120_000);

  it('given the read models, when they are listed, then each table is there and none lags', async () => {
    const lines = (await runPaymentsCommand('projections')).trim().split('\n');
    expect(lines.slice(1).map((line) => line.split(/\s+/)[1])).toEqual(TABLES);
    for (const line of lines.slice(1)) expect(line).toMatch(/ 0$/);
  });

  it('given the ledger after these payments, when it is verified, then every check passes', async () => {
    const text = await runPaymentsCommand('ledger', 'verify');
    for (const kind of ['wallets', 'transit', 'fees', 'funding', 'read models', 'topic']) {
      expect(text).toMatch(new RegExp(`^${kind}: in order$`, 'm'));
    }
    const looksAtTopic = process.env.E2E_SHAPE === 'embedded' ? /^topic: not looked at/m : /^topic: [1-9]\d* records$/m;
    expect(text).toMatch(looksAtTopic);
  });

  it('given the running product, when the money that waits is listed, then the command ends and changes nothing', async () => {
    const before = await alice.balanceCents();
    expect(await runPaymentsCommand('funding', 'pending')).toMatch(/^Nothing waits$|^waits for /m);
    const terms = ['--user', 'alice', '--amount', '1', '--reference', 'RF-e2e', '--reason', 'a dry run'];
    expect(await runPaymentsCommand('funding', 'deposit', ...terms)).toContain('Nothing was stored');
    expect(await alice.balanceCents()).toBe(before);
  });
});
