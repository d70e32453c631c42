import { normalizeEmail } from '@settle/contracts';
import { migrateSchema } from '@settle/postgres';
import { freshDatabase, type FreshDatabase } from '@settle/testing';
import pg from 'pg';
import { PAYMENTS_SCHEMA } from '../payments-schema.js';

const LAST = 'RekeyFoldedEmails1795510200000';
const { migrations } = PAYMENTS_SCHEMA;
const ADDRESSES = ['mi\u212ae@example.com', 'Mike@Example.com', 'zo\u00eb@example.com', 'Z\u00cb@ban\u212a.example'];

let database: FreshDatabase;
beforeAll(async () => (database = await freshDatabase()));
afterAll(() => database.drop());

describe('payments to e-mail addresses that the release before compared as equal', () => {
  it('given pending pays, when the database is migrated, then each is compared by its own address and stays as it is', async () => {
    const before = migrations.slice(
      0,
      migrations.findIndex(({ name }) => name === LAST),
    );
    await migrateSchema({ ...PAYMENTS_SCHEMA, migrations: before }, database.url);
    const client = new pg.Client(database.url);
    await client.connect();
    try {
      const rows = async (schema: string, columns: string) =>
        (await client.query<Record<string, string>>(`select ${columns} from ${schema}.payments order by id`)).rows;
      for (const schema of ['public', 'sandbox']) {
        for (const [id, address] of ADDRESSES.entries()) {
          await client.query(
            `insert into ${schema}.payments (id, status, mode, action, amount_cents, fee_cents, audience, medium, actor_id,
               target_type, target_address, target_key, created_us, revision, note)
             values ($1, 'pending', 'hold', 'pay', 1, 0, 'private', 'api', 1, 'email', $2, $3, 1, 0, 'n')`,
            [id, address, address.toLowerCase()],
          );
        }
      }
      const others = 'id, status, mode, amount_cents, actor_id, target_user_id, target_address, completed_us, revision';
      const unchanged = [await rows('public', others), await rows('sandbox', others)];
      await migrateSchema(PAYMENTS_SCHEMA, database.url);
      for (const schema of ['public', 'sandbox']) {
        const keys = (await rows(schema, 'target_key')).map(({ target_key: key }) => key);
        expect(keys).toEqual(ADDRESSES.map(normalizeEmail));
      }
      expect([await rows('public', others), await rows('sandbox', others)]).toEqual(unchanged);
    } finally {
      await client.end();
    }
  });
});
