import { LIMITS } from '@settle/config';
import pg from 'pg';

/** Connects a client for `work` and closes it afterwards. Errors: those of the connection and of `work`. */
export async function withClient<Result>(
  config: pg.ClientConfig,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ connectionTimeoutMillis: LIMITS.postgres.connectTimeoutMs, ...config });
  // A lost connection also fails the query in progress; without a listener, the event would end the process.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}
