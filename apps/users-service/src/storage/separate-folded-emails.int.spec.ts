import { migrateSchema } from '@settle/postgres';
import { freshDatabase, type FreshDatabase } from '@settle/testing';
import pg from 'pg';
import { USERS_SCHEMA } from './users-schema.js';

const LAST = 'SeparateFoldedEmails1795510100000';
const BEFORE = USERS_SCHEMA.migrations.slice(
  0,
  USERS_SCHEMA.migrations.findIndex(({ name }) => name === LAST),
);

let database: FreshDatabase;
let client: pg.Client;
beforeEach(async () => {
  database = await freshDatabase();
  await migrateSchema({ ...USERS_SCHEMA, migrations: BEFORE }, database.url);
  client = new pg.Client(database.url);
  await client.connect();
});
afterEach(async () => {
  await client.end();
  await database.drop();
});

/** As the release before stored it: folded by `toLowerCase`. */
async function addUser(id: number, email: string | null): Promise<void> {
  await client.query(
    `insert into users (id, username, first_name, last_name, display_name, about, email, email_normalised, joined_at_us,
       default_audience, is_business, legacy_access, verified, is_frozen, version)
     values ($1, $2, '', '', '', '', $3, $4, 1, 'private', false, false, false, false, 1)`,
    [id, `user${id}`, email, email?.toLowerCase()],
  );
}

async function prove(id: number, value: string, provenAtUs = id): Promise<void> {
  await client.query(`insert into proven_addresses values ('email', $1, $2, $3)`, [value, id, provenAtUs]);
}

const migrate = () => migrateSchema(USERS_SCHEMA, database.url);
const users = async () =>
  (await client.query('select id::int, email, email_normalised as normalized from users order by id')).rows as object[];
const verifications = async () =>
  (await client.query('select user_id::int as id, value from proven_addresses order by 1, 2')).rows as object[];
const isDue = async () => (await client.query('select from due_announcement')).rowCount === 1;

describe('e-mail addresses that the release before compared as equal', () => {
  it('given two accounts, when the database is migrated, then the one with the ASCII spelling keeps the address and the other loses it', async () => {
    await addUser(1, 'Mike@example.com');
    await addUser(2, 'mi\u212ae@example.com');
    await prove(2, 'mike@example.com', 20);
    await prove(2, 'older@example.com', 1);
    await prove(2, 'other@example.com', 10);
    await migrate();
    expect(await users()).toEqual([
      { id: 1, email: 'Mike@example.com', normalized: 'mike@example.com' },
      { id: 2, email: 'other@example.com', normalized: 'other@example.com' },
    ]);
    expect(await verifications()).toEqual([
      { id: 2, value: 'older@example.com' },
      { id: 2, value: 'other@example.com' },
    ]);
    expect(await isDue()).toBe(true);
  });

  it('given an owner with the newer verification, when the database is migrated, then the owner keeps the address and the other account has none', async () => {
    await addUser(1, 'mi\u212ae@example.com');
    await addUser(2, 'mike@example.com');
    await prove(2, 'mike@example.com');
    await migrate();
    expect(await users()).toEqual([
      { id: 1, email: null, normalized: null },
      { id: 2, email: 'mike@example.com', normalized: 'mike@example.com' },
    ]);
    expect(await verifications()).toEqual([{ id: 2, value: 'mike@example.com' }]);
  });

  it('given an account without a counterpart, when the database is migrated, then it keeps its verified address', async () => {
    await addUser(1, 'mi\u212ae@Example.com');
    await prove(1, 'mike@example.com');
    await addUser(2, 'ZO\u00cb@example.com');
    await prove(2, 'zo\u00eb@example.com');
    await migrate();
    expect(await users()).toEqual([
      { id: 1, email: 'mi\u212ae@Example.com', normalized: 'mi\u212ae@example.com' },
      { id: 2, email: 'zo\u00eb@example.com', normalized: 'zo\u00eb@example.com' },
    ]);
    expect(await verifications()).toEqual([
      { id: 1, value: 'mi\u212ae@example.com' },
      { id: 2, value: 'zo\u00eb@example.com' },
    ]);
  });

  it('given addresses that are folded as before, when the database is migrated, then nothing is changed or published', async () => {
    await addUser(1, 'Mike@Example.com');
    await prove(1, 'mike@example.com');
    await addUser(2, 'stra\u00dfe@example.com');
    await addUser(3, null);
    await addUser(4, 'a@ban\u212a.example');
    await prove(4, 'a@bank.example');
    const before = [await users(), await verifications()];
    await migrate();
    expect([await users(), await verifications()]).toEqual(before);
    expect(await isDue()).toBe(false);
  });
});
