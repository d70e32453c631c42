import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres, type EmbeddedPostgres } from '@settle/postgres';

declare global {
  var settleTestServer: { server: EmbeddedPostgres; folder: string } | undefined;
}

/** Starts one PostgreSQL for all int specs of a run; `freshDatabase` finds it by the environment. */
export default async function startServerForSpecs(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'settle-int-'));
  const silent = { info: () => undefined, warn: () => undefined };
  const server = await startEmbeddedPostgres({ dataDir: folder, logger: silent });
  globalThis.settleTestServer = { server, folder };
  process.env['SETTLE_TEST_ADMIN_URL'] = server.adminUrl;
}
