import type { Settings } from '@settle/config';
import { prepareReferenceProvider } from '@settle/launching';
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

/**
 * Starts the reference provider as a listener of this process, which is spoken to over HTTP like every other provider.
 * Returns its URL and the file with the secret for its requests. It takes a free port unless `PROVIDER_PORT` is set.
 */
export async function startReferenceProviderHere({ settings, adminUrl, logger, running }: ReferenceProviderParts) {
  // Loaded by this switch alone: without it the start takes no longer.
  const { PROVIDER_SCHEMA, readProviderSettings, startReferenceProvider } = await import('@settle/reference-provider');
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
  return { url: provider.url, secretFile };
}
