import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createMessageSecret } from '@settle/provider-api';
import { getOrCreateSecret } from '@settle/postgres';
import { prepareDatabase, type DatabaseUrls } from './databases.js';

/** The project of the payment provider for development. It is not one of our services. */
export const REFERENCE_PROVIDER = 'reference-provider';

const DATABASE = 'settle_reference_provider';
const SECRET_NAME = 'reference_provider_messages';

interface ReferenceProviderPlace extends DatabaseUrls {
  /** The file with the secret that signs requests and callbacks, for both sides. */
  readonly secretFile: string;
}

/**
 * Creates the database of the reference provider on the server of the services, and the file with its secret in the data
 * folder. Both outlive a restart. Backups and restores of the services do not open this database.
 */
export async function prepareReferenceProvider(adminUrl: string, dataDir: string): Promise<ReferenceProviderPlace> {
  const databases = await prepareDatabase(adminUrl, dataDir, DATABASE);
  const secret = await getOrCreateSecret(dataDir, SECRET_NAME, createMessageSecret);
  const secretFile = resolve(join(dataDir, 'reference-provider.secret'));
  await writeFile(secretFile, `${secret}\n`, { mode: 0o600 });
  return { ...databases, secretFile };
}
