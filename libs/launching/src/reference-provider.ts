import { readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Settings } from '@settle/config';
import { createMessageSecret } from '@settle/provider-api';
import { getOrCreateSecret } from '@settle/postgres';
import { prepareDatabase, type DatabaseUrls } from './databases.js';

/** The project of the payment provider for development. It is not one of our services. */
export const REFERENCE_PROVIDER = 'reference-provider';

const DATABASE = 'settle_reference_provider';
const SECRET_NAME = 'reference_provider_messages';

/** In the data folder: how an operator's commands reach the provider that the launcher has started. */
const NOTE_FILE = 'funding-provider.json';

/** The settings by which a service uses the provider. */
type ProviderEnvironment = Readonly<Record<string, string>>;

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

/**
 * Returns the settings by which the services use the reference provider. Null if the operator has set another provider.
 * The operator's commands find them in the data folder while this Settle runs.
 * @param provider its URL and pages, and the file with its secret; null: it does not run
 */
export async function connectReferenceProvider(
  { dataDir, funding }: Pick<Settings, 'dataDir' | 'funding'>,
  provider: { readonly url: string; readonly pagesUrl: string; readonly secretFile: string } | null,
): Promise<ProviderEnvironment | null> {
  const note = join(dataDir, NOTE_FILE);
  if (provider === null || funding.provider !== null) {
    await rm(note, { force: true });
    return null;
  }
  const { url, pagesUrl, secretFile } = provider;
  const env = {
    FUNDING_PROVIDER_URL: url,
    FUNDING_PROVIDER_SECRET: '',
    FUNDING_PROVIDER_SECRET_FILE: secretFile,
    FUNDING_PAGE_ORIGINS: [...new Set([...funding.pageOrigins, new URL(pagesUrl).origin])].join(','),
  };
  await writeFile(note, JSON.stringify(env));
  return env;
}

/** Returns the settings that `connectReferenceProvider` has stored in a data folder; none if it stored none. */
export async function readProviderEnvironment(dataDir: string): Promise<ProviderEnvironment> {
  const note = await readFile(join(dataDir, NOTE_FILE), 'utf8').catch(() => '{}');
  return JSON.parse(note) as ProviderEnvironment;
}
