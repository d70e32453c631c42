import { join } from 'node:path';
import { eventually, locateBundledPrograms } from '@settle/testing';
import pg from 'pg';
import { openSignedInBrowser } from '../developer.js';
import { MoneyPage } from '../money-page.fixture.js';
import { runPaymentsCommandWith } from '../payments-command.fixture.js';
import { PAGES_ORIGIN } from '../production.fixture.js';
import { ProviderUnderTest } from '../provider-under-test.fixture.js';
import { takeBaseBackup } from './base-backup.fixture.js';
import { Drill, isPaymentVisible, loadDemoUsers, sumBalancesCents } from './drill.fixture.js';
import { KeyedPayments } from './keyed-payments.fixture.js';
import { OwnPostgres, findInstalledPostgres } from './own-postgres.fixture.js';

/** A card that is approved and accepts repayments. */
const CARD = '4242 4242 4242 4242';
const DRILL_TIMEOUT_MS = 300_000;
/** The list of changes is read every minute. */
const CHANGES_WAIT_MS = 120_000;

/** Settings of `postgresql.conf` as docs/backup.md has them. */
const archiving = (folder: string) => [
  'wal_level = replica',
  'archive_mode = on',
  `archive_command = 'mkdir -p "${folder}/archive" && test ! -f "${folder}/archive/%f" && cp "%p" "${folder}/archive/%f"'`,
];

describe('a PostgreSQL of the operator with an archive of its write-ahead log', () => {
  // Its books outlive the loss.
  const provider = new ProviderUnderTest(PAGES_ORIGIN);
  let server: OwnPostgres;
  let drill: Drill;

  beforeAll(async () => {
    // Callbacks are lost: only the list of changes says what has happened.
    await provider.start('http://127.0.0.1:9');
    server = await OwnPostgres.start(findInstalledPostgres() ?? (await locateBundledPrograms()), archiving);
    const settings = { DATABASE_URL: server.url, ...provider.env, FUNDING_PAGE_ORIGINS: PAGES_ORIGIN };
    drill = await Drill.begin('embedded', settings);
  }, DRILL_TIMEOUT_MS);
  afterAll(async () => {
    await drill.end();
    await server.stop();
    await provider.close();
  }, DRILL_TIMEOUT_MS);

  const funding = (...args: readonly string[]) =>
    runPaymentsCommandWith({ ...provider.env, DATABASE_URL: server.url }, 'funding', ...args);

  async function queryOne(query: string): Promise<string> {
    const client = new pg.Client(server.url);
    await client.connect();
    try {
      return String(Object.values((await client.query<Record<string, unknown>>(query)).rows[0] ?? {})[0]);
    } finally {
      await client.end();
    }
  }

  /** Ends the current file of the log and waits until the archive has it. */
  async function archiveAll(): Promise<void> {
    const file = await queryOne('select pg_walfile_name(pg_switch_wal())');
    const query = `select coalesce(last_archived_wal, '') >= '${file}' from pg_stat_archiver`;
    await eventually(async () => expect(await queryOne(query)).toBe('true'));
  }

  it(
    'given a base backup and the archive, when the data are recovered to a point in time, then every cent of that time is there, the ledger verifies and later charges are orphans',
    async () => {
      const users = await loadDemoUsers();
      const { alice, bob, carol } = users;
      const money = new MoneyPage({ browser: await openSignedInBrowser('alice') }, provider);
      expect((await money.addCard(CARD)).html).toContain('Visa ending in 4242');
      expect((await alice.send({ user_id: bob.id }, '100.00')).body.data.payment.status).toBe('settled');
      await takeBaseBackup(server, join(drill.folder, 'base'));

      const payments = new KeyedPayments(bob, carol);
      await payments.payUntil(() => payments.count(200) >= 60);
      const kept = (await bob.send({ user_id: carol.id }, '1.00')).body.data.payment.id;
      const cents = await sumBalancesCents(users);
      const target = await queryOne('select clock_timestamp()::text');
      const charged = (await alice.send({ user_id: bob.id }, '7.00')).body.data.payment.id;
      await eventually(async () => expect((await alice.read(charged)).body.data.status).toBe('settled'));
      await archiveAll();

      await drill.stop();
      await server.replaceData(join(drill.folder, 'base'), [
        `restore_command = 'cp "${server.folder}/archive/%f" "%p"'`,
        `recovery_target_time = '${target}'`,
        `recovery_target_action = 'promote'`,
      ]);
      await eventually(async () => expect(await queryOne('select pg_is_in_recovery()')).toBe('false'));
      expect(await drill.mustRun('restore', '--finish')).toMatch(/^wallets: in order$/m);
      await drill.start();

      expect(await sumBalancesCents(users)).toBe(cents);
      expect(await isPaymentVisible(users, kept)).toBe(true);
      expect(await isPaymentVisible(users, charged)).toBe(false);
      const orphan = await eventually(
        async () => {
          const [, key = ''] = /contradiction unknown_key {2}(\S+)/.exec(await funding('pending')) ?? [];
          expect(key).toContain(charged);
          return key;
        },
        { timeoutMs: CHANGES_WAIT_MS },
      );
      await funding('orphan', 'repay', orphan, '--reason', 'charged after the point in time', '--confirm');
      await eventually(async () => expect(await funding('pending')).toMatch(/^Nothing waits$/m));
      expect(await funding('pending')).not.toContain(orphan);
      expect(await runPaymentsCommandWith({ DATABASE_URL: server.url }, 'ledger', 'verify')).toMatch(
        /^funding: in order$/m,
      );
    },
    DRILL_TIMEOUT_MS,
  );
});
