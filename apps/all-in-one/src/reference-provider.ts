import { readSettings, type Settings } from '@settle/config';
import { connectReferenceProvider, prepareReferenceProvider } from '@settle/launching';
import type { Running } from '@settle/lifecycle';
import type { Logger } from '@settle/observability';
import { migrateSchema } from '@settle/postgres';

interface ReferenceProviderParts {
  readonly settings: Settings;
  /** May create roles and databases. Holds a password: never log it. */
  readonly adminUrl: string;
  readonly logger: Logger;
  readonly running: Running;
}

/** Loads the program: by this switch alone, because without it the start takes no longer. */
export const loadReferenceProvider = () => import('@settle/reference-provider');

/**
 * Starts the reference provider as a listener of this process, which is spoken to over HTTP like every other provider.
 * Returns its URLs and the file with the secret for its requests. It takes a free port unless `PROVIDER_PORT` is set.
 */
export async function startReferenceProviderHere({ settings, adminUrl, logger, running }: ReferenceProviderParts) {
  const { PROVIDER_SCHEMA, readProviderSettings, startReferenceProvider } = await loadReferenceProvider();
  const { service, migrations, secretFile } = await prepareReferenceProvider(adminUrl, settings.dataDir);
  await migrateSchema(PROVIDER_SCHEMA, migrations);
  const providerSettings = readProviderSettings({
    PROVIDER_PORT: '0',
    PROVIDER_CALLBACK_URL: `${settings.publicUrl}/provider/callbacks`,
    ...process.env,
    PROVIDER_SECRET_FILE: secretFile,
  });
  const provider = await startReferenceProvider({ settings: providerSettings, databaseUrl: service, logger });
  running.add('the reference provider', () => provider.close());
  return { url: provider.url, pagesUrl: providerSettings.pagesUrl ?? provider.url, secretFile };
}

/**
 * Returns the settings of the services: with the reference provider if it runs, unless the operator has set another one.
 * @param provider null: it does not run
 */
export async function withReferenceProvider(
  settings: Settings,
  provider: Awaited<ReturnType<typeof startReferenceProviderHere>> | null,
): Promise<Settings> {
  const env = await connectReferenceProvider(settings, provider);
  return env === null ? settings : { ...settings, funding: readSettings({ ...process.env, PORT: '', ...env }).funding };
}
