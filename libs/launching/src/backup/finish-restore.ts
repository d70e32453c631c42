import type { EnvironmentVariables } from '@settle/config';
import { DATABASE_SERVICES, databaseNameOf, type DatabaseName, type LogState } from '@settle/contracts';
import { claimDataFolder, findDataFolders } from '../data-folder.js';
import { databaseUrlOf, prepareDatabases } from '../databases.js';
import { readManifest, type BackupManifest } from './manifest.js';
import { readDataKey } from '../data-key.js';
import { LEDGER, logHolds, outputOf, programOf, readLogState, runServiceCommand } from './service-commands.js';

export interface FinishOrder {
  readonly env: EnvironmentVariables;
  /** The data folder and the server of the restored databases. */
  readonly place: { readonly dataDir: string; readonly databaseUrl: string };
  /** Null: the databases were not restored from a backup of Settle. */
  readonly manifest: Pick<BackupManifest, 'log'> | null;
  readonly acceptsDifferences: boolean;
  /** Ends all sessions and revokes all apps' tokens: what was revoked after the backup would be valid again. */
  readonly endsSessions: boolean;
  readonly say: (line: string) => void;
}

/**
 * Prepares restored databases for service: compares the log with the manifest, raises both epochs so that consumers do
 * not treat lost versions as newer than restored ones, and verifies the ledger. Errors: one line each.
 */
export async function finishRestore({ env, place, manifest, ...options }: FinishOrder): Promise<void> {
  const { say, acceptsDifferences, endsSessions } = options;
  const beside = async (service: DatabaseName): Promise<EnvironmentVariables> => ({
    ...env,
    DATA_DIR: place.dataDir,
    DATABASE_URL: await databaseUrlOf(service, place),
    // The topic contradicts the restored ledger until payments-service has filled it again.
    KAFKA_BROKERS: '',
    PORT: '',
    KAFKA_PORT: '',
  });
  // A backup of an older release lacks tables that the commands below need, and perhaps a role or its password.
  const databases = await prepareDatabases(place.databaseUrl, place.dataDir);
  const payments = { ...(await beside('payments')), ...(await readDataKey(place.dataDir, env)) };
  for (const service of DATABASE_SERVICES) {
    const name = databaseNameOf(service);
    const role = { ...(await beside(name)), MIGRATIONS_DATABASE_URL: databases[name].migrations };
    const { code } = await runServiceCommand([programOf(service, 'migrate')], role, say);
    if (code !== 0) throw new Error(`Migrating the database of ${service} failed: its reason stands above`);
  }
  const log = await readLogState(payments);
  if (manifest !== null) await requireWholeLog(manifest.log, log, (event) => logHolds(payments, event));
  say(`The log ends at position ${log.newestEvent?.position ?? 0}, the read models stand at ${log.checkpoint}`);

  const users = await outputOf(
    [programOf('users-service', 'raise-epoch')],
    await beside('users'),
    'Raising the epoch of the users',
  );
  const published = await outputOf([LEDGER, 'republish'], payments, 'Raising the epoch of the payment events');
  const [, events = '?'] = /epoch (\d+)/.exec(published) ?? [];
  say(`Raised the epoch of users' records to ${users}, that of public payment events to ${events}`);
  if (endsSessions) {
    const tokens = await outputOf(
      [programOf('auth-service', 'end-sessions')],
      await beside('auth'),
      'Ending the sessions',
    );
    say(`Ended all sessions and grants, ${tokens} tokens`);
  }

  say('Verifying the ledger');
  const { code } = await runServiceCommand([LEDGER, 'verify'], payments, say);
  if (code === 0) return;
  if (code === 1 && acceptsDifferences) return say('Differences are accepted, as asked for');
  throw new Error(
    code === 1
      ? 'The ledger is not in order, see above. To restore it all the same: --accept-differences'
      : 'The ledger could not be verified, see above',
  );
}

/** Errors: the restored log lacks events that the backup had when it began. */
async function requireWholeLog(
  then: LogState,
  now: LogState,
  holds: (event: NonNullable<LogState['newestEvent']>) => Promise<boolean>,
): Promise<void> {
  const name = then.eventStore === 'eventstoredb' ? 'EventStoreDB' : 'The restored database';
  if (then.eventStore !== now.eventStore) {
    throw new Error(`The backup is of EVENT_STORE=${then.eventStore}, the settings say ${now.eventStore}`);
  }
  if (then.newestEvent === null || (await holds(then.newestEvent))) return;
  const { position, id } = then.newestEvent;
  const read = `the read models of the backup stand at ${then.checkpoint}`;
  throw new Error(`${name} does not hold event ${id} at position ${position}, and ${read}: restore a copy taken later`);
}

/** Runs `finishRestore` on the PostgreSQL of the operator, which the settings name. */
export async function finishOwnRestore(
  order: Omit<FinishOrder, 'place' | 'manifest'> & { readonly from: string | null },
): Promise<void> {
  const { folders, databaseUrl } = await findDataFolders(order.env);
  const [dataDir = ''] = folders;
  if (databaseUrl === null) throw new Error('--finish is for a PostgreSQL of your own: set DATABASE_URL to it');
  const manifest = order.from === null ? null : await readManifest(order.from);
  const claim = await claimDataFolder(dataDir);
  try {
    await finishRestore({ ...order, place: { dataDir, databaseUrl }, manifest });
  } finally {
    await claim.release();
  }
}
