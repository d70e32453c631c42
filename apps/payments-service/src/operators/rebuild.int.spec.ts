import type { UserRecord } from '@settle/contracts';
import { migrateSchema } from '@settle/postgres';
import { runAtRate } from '@settle/testing';
import { LedgerLab, type LabInstance } from '../../test/ledger-lab/ledger-lab.fixture.js';
import { rebuildParts } from '../../test/ledger-lab/rebuild-parts.fixture.js';
import { anEmail, person } from '../../test/ledger-lab/people.fixture.js';
import { PAYMENTS_SCHEMA } from '../payments-schema.js';
import { READ_MODEL_NAMES, tablesOf } from '../read-models/registry.js';
import { acquireMaintenanceLock } from './maintenance-lock.js';
import { loseAnswerOfCommit } from '../../test/operators/lost-answer.fixture.js';
import { rebuildReadModels, type RebuildOrder } from './rebuild.js';

const EVERYTHING: RebuildOrder = { models: READ_MODEL_NAMES, environment: 'live', acceptsDifferences: false };
/** The rate of the whole run, by several payers in turn. */
const PAYMENTS_PER_SECOND = 50;
/** On a machine that cannot keep this pace the load waits: it must not become one that the ledger refuses. */
const PAYMENTS_UNDER_WAY = 25;

describe('a rebuild of the read models', () => {
  let lab: LedgerLab;
  let one: LabInstance;
  let other: LabInstance;
  const crowd: UserRecord[] = [];
  const said: string[] = [];
  /** Ends the load. */
  let isOver = false;
  let paid = 0;

  beforeEach(async () => {
    isOver = false;
    paid = 0;
    lab = await LedgerLab.open();
    one = await lab.instance({ env: { FEE_BPS: '100' } });
    other = await lab.instance({ env: { FEE_BPS: '100' } });
    crowd.splice(0, crowd.length, person(), person(), person());
    said.length = 0;
    await lab.know(...crowd);
    for (const who of crowd) await one.fund(who, 1_000_000);
  });
  afterEach(async () => {
    isOver = true;
    await lab.close();
  });

  function rebuild(
    order: Partial<RebuildOrder> = {},
    onSaid: (line: string) => unknown = () => undefined,
    databaseUrl = lab.migrationsUrl,
  ) {
    const say = (line: string) => (said.push(line), void onSaid(line));
    return rebuildReadModels(rebuildParts(lab, one.store, { databaseUrl, say }), { ...EVERYTHING, ...order });
  }

  /** A payment of one of several kinds, what it may come to, and how the instance shows it that was not asked for it. */
  async function live(index: number): Promise<void> {
    const [actor, target] = [crowd[index % 3], crowd[(index + 1) % 3]];
    if (actor === undefined || target === undefined) throw new RangeError();
    const isCharge = index % 5 === 1;
    const isHeld = index % 5 === 2;
    const { payment } = await one.create(actor, isHeld ? anEmail() : target, {
      action: isCharge ? 'charge' : 'pay',
    });
    if (isHeld && index % 2 === 0) await one.act(actor, 'cancel', payment.id);
    if (isCharge) await one.act(target, index % 2 === 0 ? 'approve' : 'deny', payment.id);
    expect((await other.view(actor, payment.id)).id).toBe(payment.id);
    await one.balance(target);
  }

  /** Payments at a fixed pace until it is over; resolves with what went wrong. */
  async function payOn(): Promise<readonly unknown[]> {
    const pace = { perSecond: PAYMENTS_PER_SECOND, mostUnderWay: PAYMENTS_UNDER_WAY, isOver: () => isOver };
    const { failures } = await runAtRate(pace, (index) => {
      paid = index;
      return live(index);
    });
    return failures;
  }

  const oidsOf = async () => {
    const names = tablesOf(READ_MODEL_NAMES).map(({ name }) => name);
    const { rows } = await lab.pool.query<{ oid: string }>(`select unnest($1::text[])::regclass::oid::text as oid`, [
      names,
    ]);
    return rows.map(({ oid }) => oid);
  };
  const schemas = async () => (await lab.pool.query(`select from pg_namespace where nspname like '%rebuild'`)).rowCount;

  it('given 50 payments/s that another instance shows, when all are rebuilt time and again, then no request fails and every row is there', async () => {
    for (let index = 0; index < 60; index += 1) await live(index);
    const paying = payOn();
    const before = await oidsOf();
    // A quick machine rebuilds so few rows before much is paid.
    for (let round = 0; round < 4 || paid < 50; round += 1) {
      const { comparisons, comparedAt, switchedAt } = await rebuild();
      expect(comparisons.map(({ table, differences, first }) => ({ table, differences, first }))).toEqual(
        tablesOf(READ_MODEL_NAMES).map(({ name }) => ({ table: name, differences: 0, first: null })),
      );
      for (const comparison of comparisons) expect(comparison.rebuilt).toEqual(comparison.live);
      expect(switchedAt).toBeGreaterThanOrEqual(comparedAt);
    }
    isOver = true;
    expect(await paying).toEqual([]);
    expect((await oidsOf()).filter((oid) => before.includes(oid))).toEqual([]);
    await lab.expectInOrder();
    expect(await schemas()).toBe(0);
  });

  it('given live tables, when they are switched, then columns, keys, indexes, options and grants are as before', async () => {
    await lab.pool.query('grant select on payments to public');
    await lab.pool.query('alter table payments set (fillfactor = 90)');
    const shape = () =>
      lab.pool.query(`
        select relname, reloptions, relacl::text, (select array_agg(pg_get_indexdef(indexrelid) order by 1) from pg_index where indrelid = c.oid),
          (select array_agg(conname || pg_get_constraintdef(oid) order by 1) from pg_constraint where conrelid = c.oid),
          (select array_agg(attname || format_type(atttypid, atttypmod) || attnotnull order by attnum) from pg_attribute where attrelid = c.oid and attnum > 0)
        from pg_class c where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1`);
    const before = (await shape()).rows;
    await rebuild();
    expect((await shape()).rows).toEqual(before);
  });

  it('given a live row that no event made so, when rebuilt, then it says which and switches only when told to', async () => {
    await live(0);
    await lab.caughtUp();
    const { rows } = await lab.pool.query<{ id: string }>(
      `update payments set note = 'private', status = 'failed' returning id`,
    );
    const before = await oidsOf();
    const refused = await rebuild();
    expect(refused).toMatchObject({ switchedAt: null });
    expect(refused.comparisons[0]).toMatchObject({
      table: 'payments',
      differences: 1,
      first: `payments ${rows[0]?.id}: differs in status, note`,
    });
    expect([await oidsOf(), await schemas()]).toEqual([before, 0]);
    expect((await rebuild({ models: ['payments'], acceptsDifferences: true })).switchedAt).not.toBeNull();
    // Only what was asked for: the others are the tables that they were.
    const isUntouched = tablesOf(READ_MODEL_NAMES).map(({ name }) => name !== 'payments');
    expect((await oidsOf()).map((oid, index) => oid === before[index])).toEqual(isUntouched);
    await lab.expectInOrder();
  });

  it.each(['comparing payments', 'comparing open_work'])(
    'given it is cut off while %s, when it is started again, then the live ones were untouched and it ends well',
    async (moment) => {
      for (let index = 0; index < 10; index += 1) await live(index);
      const before = await oidsOf();
      const cutOff = (line: string) =>
        line.startsWith(moment) &&
        lab.pool.query(
          `select pg_terminate_backend(pid) from pg_stat_activity
            where datname = current_database() and application_name = 'payments-rebuild'`,
        );
      await expect(rebuild({}, cutOff)).rejects.toThrow();
      expect(await oidsOf()).toEqual(before);
      await live(11);
      expect((await rebuild()).switchedAt).not.toBeNull();
      await lab.expectInOrder();
    },
  );

  it.each([...READ_MODEL_NAMES])(
    'given %s, when the switch is stored and its answer lost, then it counts as switched and the live ones are in order',
    async (model) => {
      for (let index = 0; index < 10; index += 1) await live(index);
      const [before, place] = [await oidsOf(), await loseAnswerOfCommit(lab.migrationsUrl, 'set schema')];
      const paying = payOn();
      const { switchedAt } = await rebuild({ models: [model] }, undefined, place.url).finally(() => (isOver = true));
      expect(await paying).toEqual([]);
      place.close();
      expect([place.lost(), switchedAt !== null]).toEqual([1, true]);
      expect((await oidsOf()).filter((oid) => !before.includes(oid))).toHaveLength(tablesOf([model]).length);
      await lab.expectInOrder();
    },
  );

  it('given a rebuild that has lost its place to others, when it comes to the switch, then it ends and the live ones stay', async () => {
    await live(0);
    const before = await oidsOf();
    const loseLock = (line: string) =>
      line.startsWith('comparing payments') &&
      lab.pool.query(
        `select pg_terminate_backend(pid) from pg_locks
          where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())
            and pid in (select pid from pg_stat_activity where application_name = 'payments-rebuild')`,
      );
    await expect(rebuild({}, loseLock)).rejects.toThrow();
    expect(await oidsOf()).toEqual(before);
    await lab.expectInOrder();
  });

  it('given a reader that stays, when it is switched, then it is tried again until that one has gone', async () => {
    await live(0);
    const reader = await lab.pool.connect();
    await reader.query('begin; select from payments');
    const onSaid = (line: string) => line.startsWith('not switched yet') && reader.query('commit');
    expect((await rebuild({}, onSaid)).switchedAt).not.toBeNull();
    reader.release();
    expect(said.filter((line) => line.startsWith('not switched yet')).length).toBeGreaterThan(0);
    await live(1);
    await lab.expectInOrder();
  });

  it('given orphaned schemas of a killed rebuild, when the database is migrated, then they are removed unless a rebuild runs', async () => {
    await lab.pool.query('create schema public_rebuild; create table public_rebuild.payments (id bigint)');
    const rebuilding = await acquireMaintenanceLock(lab.pool, 'exclusive');
    await migrateSchema(PAYMENTS_SCHEMA, lab.migrationsUrl);
    expect(await schemas()).toBe(1);
    await rebuilding.query('select pg_advisory_unlock_all()');
    rebuilding.release();
    await migrateSchema(PAYMENTS_SCHEMA, lab.migrationsUrl);
    expect(await schemas()).toBe(0);
  });

  it('given one at work, when another is begun, then it is refused', async () => {
    const first = await acquireMaintenanceLock(lab.pool, 'exclusive');
    await expect(rebuild()).rejects.toThrow(/is running: try again/);
    await first.query('select pg_advisory_unlock_all()');
    first.release();
    expect((await rebuild()).switchedAt).not.toBeNull();
  });
});
