import { jest } from '@jest/globals';
import type { EventStore } from '@settle/event-store';
import { LIMITS } from '@settle/config';
import { eventually } from '@settle/testing';
import { altered, holdingSums } from '../../../test/ledger-lab/altered-store.fixture.js';
import { LedgerLab, type LabInstance } from '../../../test/ledger-lab/ledger-lab.fixture.js';
import { rebuildParts } from '../../../test/ledger-lab/rebuild-parts.fixture.js';
import { anEmail, createCommand, pair, person } from '../../../test/ledger-lab/people.fixture.js';
import { expectSandboxInOrder } from '../../../test/ledger-lab/sandbox.fixture.js';
import { Findings } from '../../operators/findings.js';
import { rebuildReadModels } from '../../operators/rebuild.js';
import { snapshotsOf } from '../../operators/snapshots.js';
import { verifyLedger } from '../../operators/verify-ledger.js';
import { UNKNOWN_VERSION, readCheckpoint } from '../../projection/checkpoints.js';
import { readMonthlyActivity } from './monthly-activity-query.js';
import { MONTHLY_ACTIVITY, monthOf } from './monthly-activity.js';

const { name: NAME } = MONTHLY_ACTIVITY;

/** A store that delivers to projections few events at a time. */
const inSmallBatches = (store: EventStore): EventStore =>
  altered(store, { subscribe: (options) => store.subscribe({ ...options, batchSize: 5 }) });

describe('the read model of monthly activity', () => {
  let lab: LedgerLab;
  let instance: LabInstance;
  const [alice, bob, carol] = [person(), person(), person()];

  beforeEach(async () => {
    lab = await LedgerLab.open();
    instance = await serve();
    for (const user of [alice, bob]) await instance.fund(user, 100_000);
  });
  afterEach(async () => {
    await lab.expectInOrder();
    await lab.close();
  });

  async function serve(options: Parameters<LedgerLab['instance']>[0] = {}): Promise<LabInstance> {
    const started = await lab.instance({ env: { FEE_BPS: '100' }, ...options });
    await lab.know(alice, bob, carol);
    return started;
  }

  async function payOften(times: number): Promise<void> {
    for (let index = 0; index < times; index += 1) await instance.create(alice, index % 2 === 0 ? bob : carol);
  }

  const rowsOf = ({ card }: typeof alice, pool = lab.pool) =>
    readMonthlyActivity(pool, card.id, monthOf(Date.now() * 1_000));

  /** Leaves the tables as a release without the read model did. */
  const forget = () =>
    lab.pool.query(`truncate monthly_activity; delete from checkpoints where name = '${NAME}';
      delete from checkpoint_positions where name = '${NAME}'`);

  async function version(): Promise<number | undefined> {
    const { rows } = await lab.pool.query<{ version: number }>('select version from checkpoints where name = $1', [
      NAME,
    ]);
    return rows[0]?.version;
  }

  it('given payments of several kinds, when a user is looked up, then counts, amounts and fees are by counterparty', async () => {
    await instance.create(alice, bob, { amountCents: 1_000 });
    await instance.create(bob, alice, { amountCents: 300 });
    const { payment } = await instance.create(alice, carol, { action: 'charge', amountCents: 200 });
    await instance.fund(carol, 1_000);
    await instance.act(carol, 'approve', payment.id);
    const held = await instance.create(alice, anEmail());
    await instance.act(alice, 'cancel', held.payment.id);
    await lab.allCaughtUp();
    const none = { paidCount: 0, paidCents: 0, receivedCount: 0, receivedCents: 0, feeCents: 0 };
    const expected = [
      {
        ...none,
        counterpartyId: bob.card.id,
        paidCount: 1,
        paidCents: 1_000,
        feeCents: 10,
        receivedCount: 1,
        receivedCents: 300,
      },
      { ...none, counterpartyId: carol.card.id, receivedCount: 1, receivedCents: 200 },
    ];
    expect(await rowsOf(alice)).toEqual(expect.arrayContaining(expected));
    expect(await rowsOf(alice)).toHaveLength(2);
    expect(await readMonthlyActivity(lab.pool, alice.card.id, 202_001)).toEqual([]);
  });

  it('given that it receives no events, when payments are made, then they are answered and shown, and it follows later', async () => {
    await instance.stop();
    const { wrapStore, release } = holdingSums();
    instance = await serve({ wrapStore });
    const waits = jest.spyOn(instance.ledger.projector, 'waitForPosition');
    const { payment } = await instance.create(alice, bob);
    expect((await instance.view(bob, payment.id)).status).toBe('settled');
    expect(await Promise.all(waits.mock.results.map(({ value }) => value as Promise<boolean>))).toEqual([true]);
    expect(await rowsOf(alice)).toEqual([]);
    release();
    await lab.allCaughtUp();
    expect(await rowsOf(alice)).toMatchObject([{ paidCount: 1 }]);
  });

  it('given a log of a release without it, when the service starts, then it catches up while payments go on', async () => {
    await payOften(20);
    await instance.stop();
    await forget();
    instance = await serve({ wrapStore: inSmallBatches });
    await payOften(4);
    await lab.allCaughtUp();
    expect((await rowsOf(alice)).reduce((sum, { paidCount }) => sum + paidCount, 0)).toBe(24);
  });

  it('given that its connections are cut and its instance stops while it catches up, when it has caught up, then each payment counts once', async () => {
    await payOften(60);
    await instance.stop();
    await forget();
    for (let round = 0; round < 3; round += 1) {
      instance = await serve({ wrapStore: inSmallBatches });
      const from = await readCheckpoint(lab.pool, NAME);
      await eventually(async () => expect(await readCheckpoint(lab.pool, NAME)).toBeGreaterThan(from));
      await lab.pool.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where application_name = 'payments-projections' and datname = current_database()`,
      );
      await payOften(1);
      await instance.stop();
    }
    instance = await serve();
    await lab.allCaughtUp();
    expect((await rowsOf(alice)).reduce((sum, { paidCount }) => sum + paidCount, 0)).toBe(63);
  });

  it('given rows of another version, when the service starts, then they are computed again and the other read models stay', async () => {
    await payOften(10);
    await lab.allCaughtUp();
    const before = await readCheckpoint(lab.pool, 'ledger');
    await instance.stop();
    await lab.pool.query(`insert into monthly_activity values (1, 202001, 2, 1, 1, 1, 1, 1);
      update checkpoints set version = 7 where name = '${NAME}'`);
    instance = await serve();
    expect(await readCheckpoint(lab.pool, 'ledger')).toBeGreaterThanOrEqual(before);
    await eventually(async () => expect(await version()).toBe(MONTHLY_ACTIVITY.version));
    await lab.allCaughtUp();
    expect(await readMonthlyActivity(lab.pool, '1', 202_001)).toEqual([]);
    expect((await rowsOf(alice)).reduce((sum, { paidCount }) => sum + paidCount, 0)).toBe(10);
  });

  it('given many rows of another version, when its instance stops while they are removed, then the next one removes the rest', async () => {
    await payOften(4);
    await lab.allCaughtUp();
    await instance.stop();
    const removals = 6;
    await lab.pool.query(`insert into monthly_activity
        select 1, 202001, n, 1, 1, 1, 1, 1 from generate_series(1, ${removals * LIMITS.payments.rowsPerRemoval}) n;
      update checkpoints set version = 7 where name = '${NAME}';
      create function slow() returns trigger language plpgsql as 'begin perform pg_sleep(1); return null; end';
      create trigger slow after delete on monthly_activity for each statement execute function slow()`);
    instance = await serve();
    await eventually(async () => expect(await version()).toBe(UNKNOWN_VERSION));
    await instance.stop();
    expect(await readMonthlyActivity(lab.pool, '1', 202_001)).not.toEqual([]);
    await lab.pool.query('drop function slow cascade');
    instance = await serve();
    await eventually(async () => expect(await version()).toBe(MONTHLY_ACTIVITY.version));
    await lab.allCaughtUp();
    expect(await readMonthlyActivity(lab.pool, '1', 202_001)).toEqual([]);
    expect((await rowsOf(alice)).reduce((sum, { paidCount }) => sum + paidCount, 0)).toBe(4);
  });

  it('given sandbox payments, when they are settled, then they count in the sandbox alone', async () => {
    await instance.stop();
    instance = await serve({ hasSandbox: true });
    await lab.know(pair(alice, bob));
    await instance.commands.create(createCommand(alice, bob, { environment: 'sandbox', amountCents: 10 }));
    await expectSandboxInOrder(instance, lab);
    await eventually(async () =>
      expect(await rowsOf(alice, instance.pools.sandbox.pool)).toMatchObject([
        { counterpartyId: bob.card.id, paidCents: 10 },
      ]),
    );
    expect(await rowsOf(alice)).toEqual([]);
  });

  it('given a row that no event made so, when it is verified and rebuilt, then it is named and replaced', async () => {
    await payOften(6);
    await lab.allCaughtUp();
    await lab.pool.query('update monthly_activity set paid_cents = paid_cents + 1 where paid_count > 0');
    await lab.pool.query('insert into monthly_activity values (1, 202001, 2, 1, 1, 1, 1, 1)');
    expect(await found()).toMatchObject([
      { kind: 'read models', first: expect.stringMatching(/^monthly_activity \d+:\d+:\d+: differs in paid_cents$/) },
    ]);
    const order = { models: [NAME], environment: 'live', acceptsDifferences: true } as const;
    const report = await rebuildReadModels(rebuildParts(lab, instance.store), order);
    expect(report.comparisons).toMatchObject([{ table: 'monthly_activity', differences: 3 }]);
    expect(report.switchedAt).not.toBeNull();
    expect(await found()).toEqual([]);
    await payOften(1);
  });

  /** Kinds of differences that a verification finds. */
  async function found() {
    const findings = new Findings();
    const client = await lab.pool.connect();
    const { store } = instance;
    await verifyLedger({ store, client, atOneMoment: snapshotsOf(client), findings, say: () => undefined });
    client.release(true);
    return findings.list().filter(({ first }) => first !== null);
  }
});
