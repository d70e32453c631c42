import { AUTH_SCHEMA } from '@settle/auth-service';
import { DEMO_APP, DEMO_USERS } from '@settle/contracts';
import { PAYMENTS_SCHEMA } from '@settle/payments-service';
import { migrateSchema, type ServiceSchema } from '@settle/postgres';
import { freshDatabase } from '@settle/testing';
import { USERS_SCHEMA } from '@settle/users-service';
import pg from 'pg';

const MARKING = 'MarkDatabaseMode1795530000000';

const app = (
  clientId: string,
) => `insert into apps (client_id, secret_sha256, name, description, site_url, redirect_urls, owner_id)
  values ('${clientId}', '', '', '', '', '{}', 1)`;
const credential = (userId: string) =>
  `insert into credentials (user_id, username, password_hash) values (${userId}, 'ann', '')`;
const user = (
  id: string,
  source: string | null,
) => `insert into users (id, username, first_name, last_name, display_name,
    about, joined_at_us, default_audience, is_business, legacy_access, verified, is_frozen, funding_source_id, version)
  values (${id}, 'ann', '', '', '', '', 1, 'private', false, false, false, false, ${source === null ? 'null' : `'${source}'`}, 1)`;
const line = (source: string) => `insert into ledger_entries (wallet_id, revision, event_type, debit_account,
    credit_account, amount_cents, balance_cents, source_id)
  values (1, 1, 'FundsAdded', 'funding:1', 'wallet:1', 100, 100, '${source}')`;

/** The content of a database that is older than the marks, and its mark. */
const FOUND: readonly (readonly [schema: ServiceSchema, what: string, statement: string, mode: string | undefined])[] =
  [
    [AUTH_SCHEMA, 'nothing', 'select 1', undefined],
    [AUTH_SCHEMA, 'the app of the demo', app(DEMO_APP.clientId), 'development'],
    [AUTH_SCHEMA, 'a password of the demo', credential(DEMO_USERS.alice.id), 'development'],
    [AUTH_SCHEMA, 'another app', app('1234'), 'production'],
    [AUTH_SCHEMA, 'another password', credential('5'), 'production'],
    [USERS_SCHEMA, 'nothing', 'select 1', undefined],
    [USERS_SCHEMA, 'a user of the demo', user(DEMO_USERS.carol.id, null), 'development'],
    [USERS_SCHEMA, 'a user with a test card', user('5', 'test-card-1'), 'development'],
    [USERS_SCHEMA, 'another user', user('5', null), 'production'],
    [PAYMENTS_SCHEMA, 'nothing', 'select 1', undefined],
    [PAYMENTS_SCHEMA, 'money of a test card', line('test-bank'), 'development'],
    [PAYMENTS_SCHEMA, 'money of the demo', line('demo-bank'), 'development'],
    [PAYMENTS_SCHEMA, 'money of another source', line('bank-1'), 'production'],
  ];

describe('a database without a mark', () => {
  it.each(FOUND.map(([schema, what, ...found]) => [schema.service, what, { schema, found }] as const))(
    'given that of %s with %s, when it is migrated, then it is marked by what it holds',
    async (_service, _what, { schema, found: [statement, mode] }) => {
      const database = await freshDatabase();
      const client = new pg.Client(database.url);
      try {
        const before = schema.migrations.filter(({ name }) => name !== MARKING);
        await migrateSchema({ ...schema, migrations: before }, database.url);
        await client.connect();
        await client.query(statement);
        await migrateSchema(schema, database.url);
        const { rows } = await client.query<{ mode: string }>('select mode from database_mode');
        expect(rows[0]?.mode).toBe(mode);
      } finally {
        await client.end();
        await database.drop();
      }
    },
  );
});
