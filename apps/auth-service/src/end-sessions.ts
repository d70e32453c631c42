import { inTransaction, runDatabaseCommand } from '@settle/postgres';
import type { Pool } from 'pg';

/*
 * `node dist/end-sessions.js`: ends every session, token and grant, and prints the number of tokens. Run it after a
 * restore while auth-service is stopped, because a restored database lacks the revocations since its backup.
 */
await runDatabaseCommand('end-sessions', endSessions);

function endSessions(pool: Pool): Promise<number> {
  return inTransaction(pool, async (client) => {
    const { rowCount } = await client.query('delete from tokens');
    // Codes and refresh tokens are deleted with their authorization, pending consents with their session.
    await client.query('delete from authorizations');
    await client.query('delete from consents');
    await client.query('delete from sessions');
    return rowCount ?? 0;
  });
}
