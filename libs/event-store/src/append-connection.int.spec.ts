import { freshDatabase, type FreshDatabase } from '@settle/testing';
import { AppendConnection } from './append-connection.js';
import { EVENT_STORE_LIMITS } from './limits.js';

describe('AppendConnection', () => {
  let database: FreshDatabase;
  let connection: AppendConnection;

  beforeEach(async () => {
    database = await freshDatabase();
    // Over TCP: a socket of this machine has none of the settings that detect a dead network.
    const url = new URL(database.url);
    url.searchParams.delete('host');
    connection = new AppendConnection(url.href, EVENT_STORE_LIMITS);
  });
  afterEach(async () => {
    await connection.end();
    await database.drop();
  });

  it('given an open session, when its settings are read, then the server detects a dead client within seconds', async () => {
    const client = await connection.getClient(performance.now() + EVENT_STORE_LIMITS.appendGiveUpMs);
    const { rows } = await client.query<{ name: string; setting: string }>(
      `select name, setting from pg_settings where name ~ '^(tcp_|lock_timeout|statement_timeout|synchronous_commit)'`,
    );
    expect(Object.fromEntries(rows.map(({ name, setting }) => [name, setting]))).toEqual({
      synchronous_commit: 'on',
      lock_timeout: '2000',
      statement_timeout: '3000',
      tcp_keepalives_idle: '2',
      tcp_keepalives_interval: '1',
      tcp_keepalives_count: '3',
      tcp_user_timeout: '5000',
    });
  });
});
