import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { testAdminUrl } from '@settle/testing';
import pg from 'pg';
import { LedgerLab } from '../test/ledger-lab/ledger-lab.fixture.js';
import { person } from '../test/ledger-lab/people.fixture.js';

const SQL = readFileSync(join(import.meta.dirname, '../../../deploy/postgres/reporting-role.sql'), 'utf8');
const PASSWORD = 'of-the-spec';
const ALL_READABLE = ['fee_entries', 'monthly_activity', 'payout_entries'];
const PARTLY_READABLE = ['funding', 'ledger_entries', 'payments'];
/** Written by users, or of their cards and accounts. */
const PERSONAL = ['note', 'target_address', 'target_key', 'source_id', 'charge_key', 'repayment_key'];

describe('the role of reports', () => {
  let lab: LedgerLab;
  let admin: pg.Client;
  let reports: pg.Client;

  beforeAll(async () => {
    lab = await LedgerLab.open();
    const at = (user: string, password: string) => Object.assign(new URL(lab.url), { username: user, password }).href;
    const { username, password } = new URL(testAdminUrl());
    admin = new pg.Client(at(username, password));
    await admin.connect();
    // Twice: after a rebuild it runs again.
    for (let run = 0; run < 2; run += 1) await admin.query(SQL);
    await admin.query(`alter role settle_reporting password '${PASSWORD}'`);
    reports = new pg.Client(at('settle_reporting', PASSWORD));
    await reports.connect();
  });
  afterAll(async () => {
    await reports.end();
    await admin.query('drop owned by settle_reporting');
    await admin.query('drop role settle_reporting');
    await admin.end();
    await lab.close();
  });

  it('given a payment, when a report sums it up, then the sums are those of the ledger', async () => {
    const instance = await lab.instance();
    const [payer, payee] = [person(), person()];
    await lab.know(payer, payee);
    await instance.fund(payer, 1_000);
    await instance.create(payer, payee, { amountCents: 250 });
    await lab.caughtUp();
    const payments = await reports.query(
      'select status, sum(amount_cents)::int as cents from payments group by status',
    );
    expect(payments.rows).toEqual([{ status: 'settled', cents: 250 }]);
    const balances = await reports.query<{ cents: number }>(
      `select distinct on (wallet_id) balance_cents::int as cents from ledger_entries order by wallet_id, revision desc`,
    );
    expect(balances.rows.map(({ cents }) => cents).toSorted((left, right) => left - right)).toEqual([250, 750]);
  });

  it('given every table, when a report reads it, then only read models can be read, and of them no note, address or source', async () => {
    const { rows } = await lab.pool.query<{ schema: string; name: string }>(
      `select schemaname as schema, tablename as name from pg_tables where schemaname in ('public', 'sandbox')`,
    );
    const readable: string[] = [];
    for (const { schema, name } of rows) {
      const isRead = await reports.query(`select * from ${schema}.${name} limit 0`).then(
        () => true,
        (error: Error) => {
          expect(error.message).toMatch(/permission denied/);
          return false;
        },
      );
      if (isRead) readable.push(name);
    }
    expect(rows.map(({ name }) => name)).toEqual(expect.arrayContaining(['events', 'known_users', ...PARTLY_READABLE]));
    expect(readable.toSorted()).toEqual(ALL_READABLE);
    const granted = await admin.query<{ table: string; column: string }>(
      `select distinct table_name as "table", column_name as "column" from information_schema.column_privileges
        where grantee = 'settle_reporting'`,
    );
    expect([...new Set(granted.rows.map(({ table }) => table))].toSorted()).toEqual(
      [...ALL_READABLE, ...PARTLY_READABLE].toSorted(),
    );
    expect(granted.rows.filter(({ column }) => PERSONAL.includes(column))).toEqual([]);
  });

  it('given a report, when it changes anything, then it is refused', async () => {
    await expect(reports.query(`update payments set status = 'failed'`)).rejects.toThrow('read-only transaction');
    await reports.query('set default_transaction_read_only = off');
    for (const statement of [
      `update payments set status = 'failed'`,
      'create table own (id int)',
      'truncate payments',
    ]) {
      await expect(reports.query(statement)).rejects.toThrow('permission denied');
    }
  });
});
