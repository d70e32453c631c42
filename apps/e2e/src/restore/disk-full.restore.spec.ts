import { eventually } from '@settle/testing';
import pg from 'pg';
import { bundledDatabaseUrl } from '../bundled-database.fixture.js';
import { Drill, loadDemoUsers, type DemoUsers } from './drill.fixture.js';
import { KeyedPayments } from './keyed-payments.fixture.js';
import { SmallDisk } from './small-disk.fixture.js';

/** Enough for the databases and some thousand payments. */
const DISK_BYTES = 400 * 1_048_576;
const REFUSALS = 40;
const DRILL_TIMEOUT_MS = 240_000;

describe('a PostgreSQL whose disk is full', () => {
  let disk: SmallDisk;
  let drill: Drill;
  let users: DemoUsers;
  let payments: KeyedPayments;
  let admin: pg.Client;

  beforeAll(async () => {
    const mount = (dataDir: string) => void (disk = SmallDisk.mount(dataDir, DISK_BYTES));
    drill = await Drill.begin('embedded', {}, mount);
    users = await loadDemoUsers();
    payments = new KeyedPayments(users.alice, users.bob);
    await payments.begin();
    admin = new pg.Client(await bundledDatabaseUrl(drill.dataDir, 'postgres'));
  }, DRILL_TIMEOUT_MS);
  afterAll(async () => {
    try {
      disk.free();
      await drill.stop();
    } finally {
      disk.unmount();
    }
    await drill.end();
  }, DRILL_TIMEOUT_MS);

  it(
    'given no space for rows, when payments are made, then they are refused with 503, and reads are served unless they need a new connection',
    async () => {
      await payments.payUntil(() => payments.count(200) >= 20);
      // PostgreSQL may refuse new connections while it cannot write the files that a start of one renews.
      await admin.connect();
      disk.fill();
      await payments.payUntil(() => payments.count(503) >= REFUSALS);
      expect([200, 503]).toContain((await users.bob.list()).status);
    },
    DRILL_TIMEOUT_MS,
  );

  it(
    'given no space for the write-ahead log, when PostgreSQL ends under payments, then they are refused with 503 or 504',
    async () => {
      const refusedBefore = payments.refused;
      let isDown = false;
      const down = new Promise((resolve) => admin.once('error', resolve)).then(() => (isDown = true));
      const paying = payments.payUntil(() => isDown && payments.refused >= refusedBefore + REFUSALS);
      // The next commit begins a new file, for which there is no space: PostgreSQL ends, at once or with that commit.
      await admin.query('select pg_switch_wal()').catch(() => undefined);
      await down;
      await paying;
    },
    DRILL_TIMEOUT_MS,
  );

  it(
    'given space again, when nothing else is done, then payments are accepted, acknowledged ones exist once and the ledger verifies',
    async () => {
      disk.free();
      await eventually(async () => expect(await payments.payOnce()).toBe(200), { timeoutMs: 60_000 });
      // The read models catch up with what was acknowledged while there was no space for their rows.
      await eventually(async () => expect(await payments.paidCents()).toBeGreaterThanOrEqual(payments.count(200)));
      expect(await payments.paidCents()).toBeLessThanOrEqual(payments.count(200) + payments.unknown);
      await payments.repeatAll();
      expect(await drill.verify()).toMatch(/^read models: in order$/m);
    },
    DRILL_TIMEOUT_MS,
  );
});
