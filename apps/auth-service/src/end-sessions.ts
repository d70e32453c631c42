import { runDatabaseCommand } from '@settle/postgres';
import type { Pool } from 'pg';

/*
 * `node dist/end-sessions.js`, while no instance of auth-service runs: ends every session, token and grant, and prints
 * how many tokens those were. For a database that was restored: it does not know what has been revoked since.
 */
await runDatabaseCommand('end-sessions', endSessions);

async function endSessions(pool: Pool): Promise<number> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    const { rowCount } = await client.query('delete from tokens');
    // Codes and refresh tokens go with their authorization, open consent pages with their session.
    await client.query('delete from authorizations');
    await client.query('delete from consents');
    await client.query('delete from sessions');
    await client.query('commit');
    return rowCount ?? 0;
  } finally {
    // Ends a transaction that failed.
    client.release(true);
  }
}
