import { DEMO_USERS, getAccount, type GetAccount } from '@settle/contracts';
import { InMemoryBus } from '@settle/messaging';
import { createLogger } from '@settle/observability';
import { migrateSchema } from '@settle/postgres';
import { eventually, freshDatabase } from '@settle/testing';
import { AUTH_SCHEMA } from '../tables/auth-schema.js';
import { startAuthService } from '../start-auth-service.js';
import { startAuth } from '../../test/started-auth.fixture.js';

const { alice, bob } = DEMO_USERS;
const SPELLING_MIGRATION = 'KeepAddressSpellings1795510000000';
const { migrations } = AUTH_SCHEMA;

describe('the address spelling backfill', () => {
  it('given addresses without a spelling, when the service starts, then it stores their spellings and removes addresses that users-service has withdrawn', async () => {
    const database = await freshDatabase();
    const before = migrations.slice(
      0,
      migrations.findIndex(({ name }) => name === SPELLING_MIGRATION),
    );
    await migrateSchema({ ...AUTH_SCHEMA, migrations: before }, database.url);
    const lines: string[] = [];
    const logger = createLogger({ level: 'info', service: 'auth', stream: { write: (line) => void lines.push(line) } });
    // Seeds the users. The statements below restore the previous state of their addresses.
    const auth = await startAuth(database, { DEV_TOOLS: 'true' }, logger);
    await auth.service.close();
    const accounts: Record<string, object> = {
      [alice.id]: { email: 'Alice@Example.com', addresses: [{ kind: 'email', value: alice.email }] },
      [bob.id]: {
        email: 'bob@example.com',
        addresses: ['bob@example.com', 'mi\u212ae@example.com'].map((value) => ({ kind: 'email', value })),
      },
    };
    await auth.pool.query(`delete from login_addresses where user_id <> all($1)`, [[alice.id, bob.id]]);
    await auth.pool.query(`update login_addresses set spelling = null where kind = 'email'`);
    await auth.pool.query(
      `insert into login_addresses values ('email', 'mike@example.com', $1, 9), ('email', 'kim@example.com', $1, 9)`,
      [bob.id],
    );
    const bus = new InMemoryBus({ logger, copyMessages: true });
    bus.handle(getAccount.topic, getAccount.pattern, (request) =>
      Promise.resolve(accounts[(request as GetAccount).userId] ?? {}),
    );
    const service = await startAuthService({ settings: auth.settings, bus, logger, databaseUrl: auth.databaseUrl });
    const rows = async () => {
      const find = `select value, spelling, user_id from login_addresses where kind = 'email' and user_id = any($1) order by value`;
      return (await auth.pool.query(find, [[alice.id, bob.id]])).rows as object[];
    };
    await eventually(async () =>
      expect(await rows()).toEqual([
        { value: 'alice@example.com', spelling: 'Alice@Example.com', user_id: alice.id },
        { value: 'bob@example.com', spelling: 'bob@example.com', user_id: bob.id },
        { value: 'mi\u212ae@example.com', spelling: 'mi\u212ae@example.com', user_id: bob.id },
      ]),
    );
    await eventually(async () => {
      const { rows: sent } = await auth.pool.query<{ text: string }>('select text from mailbox_messages');
      expect(sent.filter(({ text }) => text.startsWith('mike@example.com no longer'))).not.toEqual([]);
      expect(sent.filter(({ text }) => text.startsWith('kim@example.com no longer'))).not.toEqual([]);
    });
    expect(lines.filter((line) => line.includes('"address_lost"') && line.includes(bob.id))).toHaveLength(2);
    await service.close();
    await bus.close();
    await auth.pool.end();
    await auth.bus.close();
    await database.drop();
  });
});
