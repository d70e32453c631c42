import type { UserRecord } from '@settle/contracts';
import type { ReadableLog } from '@settle/event-store';
import type { PoolClient } from 'pg';
import { altered } from '../../test/ledger-lab/altered-store.fixture.js';
import { LedgerLab, type LabInstance } from '../../test/ledger-lab/ledger-lab.fixture.js';
import { loseApproval } from '../../test/ledger-lab/lost-approval.fixture.js';
import { anEmail, person } from '../../test/ledger-lab/people.fixture.js';
import { readCheckpoint } from '../projection/checkpoints.js';
import { LEDGER_PROJECTION } from '../read-models/ledger/ledger-projection.js';
import { Findings, type Kind } from './findings.js';
import { snapshotsOf, type InSnapshot } from './snapshots.js';
import { verifyLedger, type VerifiedLedger } from './verify-ledger.js';

const differing = (findings: Findings) => findings.list().filter(({ first }) => first !== null);

describe('a verification of the ledger', () => {
  let lab: LedgerLab;
  let instance: LabInstance;
  let reader: PoolClient;
  let readerPid: number | undefined;
  const crowd: UserRecord[] = [person(), person(), person()];

  beforeAll(async () => {
    lab = await LedgerLab.open();
    instance = await lab.instance({ env: { FEE_BPS: '100' } });
    await lab.know(...crowd);
    for (const who of crowd) await instance.fund(who, 100_000);
    await live(20);
    await lab.caughtUp();
    reader = await lab.pool.connect();
    readerPid = (await reader.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]?.pid;
  });
  afterAll(async () => {
    reader.release();
    await lab.close();
  });

  /** Payments of several kinds, some of which end. */
  async function live(count: number): Promise<void> {
    for (let index = 0; index < count; index += 1) {
      const [actor, target] = [crowd[index % 3], crowd[(index + 1) % 3]];
      if (actor === undefined || target === undefined) throw new RangeError();
      const isCharge = index % 4 === 1;
      const isHeld = index % 4 === 2;
      const { payment } = await instance.create(actor, isHeld ? anEmail() : target, {
        action: isCharge ? 'charge' : 'pay',
      });
      if (isHeld && index % 8 === 2) await instance.act(actor, 'cancel', payment.id);
      if (isCharge && index % 8 === 1) await instance.act(target, 'approve', payment.id);
    }
  }

  /** Returns the findings by kind after `damage`, which is undone. */
  async function verifiedAfter(damage?: string, store: ReadableLog = instance.store, most?: VerifiedLedger['most']) {
    await reader.query('begin isolation level repeatable read');
    try {
      if (damage !== undefined) expect((await reader.query(damage)).rowCount).toBeGreaterThan(0);
      const findings = new Findings();
      const atOneMoment: InSnapshot = (work) => work();
      const limits = most === undefined ? {} : { most };
      const parts = { store, client: reader, atOneMoment, findings, say: () => undefined, ...limits };
      const sums = await verifyLedger(parts);
      const found = Object.fromEntries(
        findings.list().flatMap(({ kind, first }) => (first === null ? [] : [[kind, first]])),
      );
      return { sums, found: found as Partial<Record<Kind, string>> };
    } finally {
      await reader.query('rollback');
    }
  }

  /** Returns the findings of the command. */
  async function verified(store: ReadableLog): Promise<Findings> {
    const findings = new Findings();
    const atOneMoment = snapshotsOf(reader);
    await verifyLedger({ store, client: reader, atOneMoment, findings, say: () => undefined });
    return findings;
  }

  async function holdsSnapshot(): Promise<boolean> {
    const { rowCount } = await lab.pool.query(
      `select from pg_stat_activity where pid = $1 and (backend_xmin is not null or xact_start < query_start)`,
      [readerPid],
    );
    return rowCount !== 0;
  }

  it('given a ledger in order, when verified, then nothing differs and every cent is accounted for', async () => {
    const books = await lab.expectInOrder();
    const { sums, found } = await verifiedAfter();
    expect(found).toEqual({});
    expect(sums).toMatchObject({ ...books, wallets: 3 });
    expect(sums.payments).toBeGreaterThan(20);
    expect(sums.feeCents).toBeGreaterThan(0);
  });

  it('given money that moves, when verified over and over, then each time all is as of one moment', async () => {
    let isLiving = true;
    const living = live(60).finally(() => (isLiving = false));
    while (isLiving) {
      expect((await verifiedAfter()).found).toEqual({});
      expect(differing(await verified(instance.store))).toEqual([]);
    }
    await living;
  });

  it('given money that moves, when verified, then no snapshot is held while the events before it are read', async () => {
    const { store } = instance;
    // The checkpoint, not the newest event: a worker may append one that the projector has not reached.
    await lab.caughtUp();
    const newest = await readCheckpoint(lab.pool, LEDGER_PROJECTION.name);
    const held: number[] = [];
    let batches = 0;
    const observed = altered(store, {
      subscribe: (options) =>
        store.subscribe({
          ...options,
          batchSize: 20,
          handle: async (events, upTo) => {
            if ((events[0]?.position ?? upTo) <= newest) {
              batches += 1;
              await live(1);
              if (await holdsSnapshot()) held.push(upTo);
            }
            await options.handle(events, upTo);
          },
        }),
    });
    expect(differing(await verified(observed))).toEqual([]);
    expect(batches).toBeGreaterThan(3);
    expect(held).toEqual([]);
  });

  it("given that the newest event is another stream's, when verified, then the log ends where it should", async () => {
    await instance.fund(crowd[0]!, 1);
    await lab.caughtUp();
    expect((await verifiedAfter()).found).toEqual({});
  });

  it.each<[damage: string, kind: Kind, first: RegExp]>([
    [
      `update ledger_entries set balance_cents = balance_cents + 1 where revision = 2`,
      'wallets',
      /^ledger_entries \d+:2: differs in balance_cents$/,
    ],
    [
      `update ledger_entries set revision = revision + 100000 where revision = 0`,
      'wallets',
      /^ledger_entries \d+:0: missing$/,
    ],
    [
      `insert into ledger_entries select wallet_id, revision + 100000, payment_id, event_type, debit_account,
        credit_account, amount_cents, balance_cents, attempt, source_id from ledger_entries limit 1`,
      'wallets',
      /^ledger_entries \d+:1\d+: not from an event$/,
    ],
    [
      `update ledger_entries set amount_cents = amount_cents + 1 where event_type = 'FundsDebited'`,
      'transit',
      /^ledger_entries \d+:\d+: differs in amount_cents$/,
    ],
    [`delete from ledger_entries where event_type = 'FundsCredited'`, 'transit', /: missing$/],
    [`update fee_entries set amount_cents = amount_cents + 1`, 'fees', /^fee_entries \d+: differs in amount_cents$/],
    [`delete from fee_entries`, 'fees', /^fee_entries \d+: missing$/],
    [`insert into fee_entries values (1, 'a', 'b', 1)`, 'fees', /^fee_entries 1: not from an event$/],
    [
      `update ledger_entries set amount_cents = amount_cents + 1 where event_type = 'FundsAdded'`,
      'funding',
      /^ledger_entries \d+:\d+: differs in amount_cents$/,
    ],
    [
      `update payments set status = 'failed', note = 'secret' where status = 'settled'`,
      'read models',
      /^payments \d+: differs in status, note$/,
    ],
    [`delete from payments where status = 'pending'`, 'read models', /^payments \d+: missing$/],
    [
      `insert into payments select 7, status, mode, action, amount_cents, fee_cents, audience, medium, actor_id,
        target_type, target_user_id, target_address, target_key, created_us, completed_us, refund_id, refund_of,
        revision, note from payments limit 1`,
      'read models',
      /^payments 7: not from an event$/,
    ],
    [`delete from open_work`, 'read models', /^open_work \d+:expire: missing$/],
    [
      `insert into open_work select payment_id, 'finish', 1, 1 from open_work limit 1`,
      'read models',
      /^open_work \d+:finish: not from an event$/,
    ],
  ])('given %s, when verified, then it names a difference of %s: %s', async (damage, kind, first) => {
    const { found } = await verifiedAfter(damage);
    expect(found).toEqual({ [kind]: expect.stringMatching(first) });
  });

  it.each<[type: string, kind: Kind, first: RegExp]>([
    ['FundsDebited', 'wallets', /^wallet \d+, revision \d+: does not follow/],
    ['FundsDebited', 'transit', /^payment \d+: has ended, and its money is still in transit|^ledger_entries/],
    ['FundsAdded', 'funding', /^ledger_entries \d+:\d+: differs in amount_cents$/],
  ])('given an event %s that is not what it was, when verified, then %s differ', async (type, kind, first) => {
    const { rows } = await lab.pool.query<{ id: string; data: string }>(
      `select id, data from events where type = $1 order by position limit 1`,
      [type],
    );
    const [event] = rows;
    if (event === undefined) throw new RangeError();
    const forged = JSON.stringify({ ...(JSON.parse(event.data) as object), amountCents: 1 });
    await lab.pool.query('update events set data = $2 where id = $1', [event.id, forged]);
    const { found } = await verifiedAfter();
    await lab.pool.query('update events set data = $2 where id = $1', [event.id, event.data]);
    expect(found[kind]).toMatch(first);
  });

  it('given more wallets than a verification holds, when verified, then it reads the others and finds the same', async () => {
    const most = { wallets: 1, funding: 1 };
    const { store } = instance;
    const oneByOne = altered(store, { subscribe: (options) => store.subscribe({ ...options, batchSize: 1 }) });
    await lab.caughtUp();
    expect(await verifiedAfter(undefined, oneByOne, most)).toEqual({ ...(await verifiedAfter()), found: {} });
    const damage = `insert into ledger_entries select wallet_id, revision + 100000, payment_id, event_type, debit_account,
      credit_account, amount_cents, balance_cents, attempt, source_id from ledger_entries limit 1`;
    expect((await verifiedAfter(damage, oneByOne, most)).found).toEqual({
      wallets: expect.stringMatching(/^ledger_entries \d+:1\d+: not from an event$/),
    });
  });

  it('given refunds and a debit that lost to a cancel, when each event comes alone, then nothing differs', async () => {
    await loseApproval(lab, instance);
    await live(8);
    await lab.caughtUp();

    const { store } = instance;
    const oneByOne = altered(store, { subscribe: (options) => store.subscribe({ ...options, batchSize: 1 }) });
    const before = await verifiedAfter();
    expect(await verifiedAfter(undefined, oneByOne)).toEqual({ ...before, found: {} });
  });
});
