import { execFile } from 'node:child_process';
import { execPath } from 'node:process';
import { promisify } from 'node:util';
import { LIMITS, type Settings } from '@settle/config';
import { REFERENCE_PROVIDER, connectReferenceProvider, prepareReferenceProvider, programOf } from '@settle/launching';
import { Instance } from './instance.js';
import type { StackParts } from './instance-group.js';

const NAME = 'provider';

interface ProviderProcessOptions {
  readonly settings: Settings;
  /** May create roles and databases. Holds a password: never log it. */
  readonly adminUrl: string;
  /** Settings of every process, without a database. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly parts: StackParts;
}

/**
 * Returns the reference provider as a process of its own, which is started again when it dies, and the settings by which
 * services use it; null: they use another one. Its database is migrated; start it, and stop it last of all services. It
 * takes a reserved port unless `PROVIDER_PORT` is set.
 */
export async function createProviderProcess({ settings, adminUrl, env, parts }: ProviderProcessOptions) {
  const { ports, ...shared } = parts;
  const { service, migrations, secretFile } = await prepareReferenceProvider(adminUrl, settings.dataDir);
  await promisify(execFile)(execPath, [programOf(REFERENCE_PROVIDER, 'migrate')], {
    env: { ...env, MIGRATIONS_DATABASE_URL: migrations, DATABASE_URL: service },
    timeout: LIMITS.postgres.migrationTimeoutMs,
  });
  const httpPort = Number(env['PROVIDER_PORT']?.trim() || (await ports.take(NAME)));
  const healthPort = await ports.take(`${NAME} health`);
  const process = new Instance({
    ...shared,
    name: NAME,
    main: programOf(REFERENCE_PROVIDER, 'main'),
    healthPort,
    httpPort,
    env: {
      PROVIDER_CALLBACK_URL: `${settings.publicUrl}/provider/callbacks`,
      ...env,
      ...{ INSTANCE_ID: NAME, HEALTH_HOST: '127.0.0.1', HEALTH_PORT: String(healthPort) },
      ...{ DATABASE_URL: service, PROVIDER_PORT: String(httpPort), PROVIDER_SECRET_FILE: secretFile },
    },
    onStart: () => undefined,
    onReadiness: () => undefined,
  });
  const url = `http://127.0.0.1:${httpPort}`;
  const pagesUrl = env['PROVIDER_PAGES_URL']?.trim() || url;
  return { process, connection: await connectReferenceProvider(settings, { url, pagesUrl, secretFile }) };
}
