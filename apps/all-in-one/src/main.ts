import 'reflect-metadata';
import {
  claimDataFolder,
  exampleRequests,
  prepareDataKey,
  prepareDatabases,
  readSettingsAndPort,
  readyLine,
  startPostgres,
} from '@settle/launching';
import { Health, runUntilStopped, serveHealth, type Running } from '@settle/lifecycle';
import { Metrics, createLogger, startTracing } from '@settle/observability';
import { alignDerivedModes } from '@settle/postgres';
import { loadReferenceProvider, startReferenceProviderHere, withReferenceProvider } from './reference-provider.js';

/** The whole system in one process. What is started first is stopped last. */
await runUntilStopped(async (running: Running) => {
  const settings = await readSettingsAndPort(process.env);
  const { host, port: healthPort } = settings.health;
  const metrics = healthPort === null ? undefined : new Metrics();
  const logger = createLogger({ level: settings.logLevel, service: 'all-in-one', metrics });

  const { tracesEndpoint: endpoint } = settings;
  if (endpoint !== null) running.add('traces', await startTracing({ endpoint, service: 'all-in-one', logger }));

  const health = new Health();
  if (metrics !== undefined && healthPort !== null) {
    const server = await serveHealth({ health, metrics }, { host, port: healthPort });
    running.add('the health server', () => server.close());
  }

  const folder = await claimDataFolder(settings.dataDir);
  running.add('the data folder', () => folder.release());

  say('Starting PostgreSQL');
  const loading = import('./services.js');
  if (settings.referenceProvider) void loading.then(loadReferenceProvider).catch(() => undefined);
  const postgres = await startPostgres(settings, logger);
  running.add('PostgreSQL', () => postgres.stop());
  const databases = await prepareDatabases(postgres.adminUrl, settings.dataDir);
  const services = await loading;
  const migrate = async () => {
    await services.migrateServices(databases);
    await alignDerivedModes(Object.values(databases).map(({ migrations }) => migrations));
  };
  const startProvider = async () =>
    settings.referenceProvider
      ? startReferenceProviderHere({ settings, adminUrl: postgres.adminUrl, logger, running })
      : null;
  // Both are waited for, also when one fails: what starts behind the back of a stop would stay.
  const [migration, provider] = await Promise.allSettled([migrate(), startProvider()]);
  if (migration.status === 'rejected') throw migration.reason;
  if (provider.status === 'rejected') throw provider.reason;

  say('Starting the services');
  const { DATA_KEY: dataKey = settings.dataKey } = await prepareDataKey(settings);
  const connected = { ...(await withReferenceProvider(settings, provider.value)), dataKey };
  const gatewayUrl = await services.startServices({ settings: connected, databases, health, logger, metrics, running });

  if (provider.value !== null) {
    say(`Reference provider on ${provider.value.url}, its secret in ${provider.value.secretFile}`);
  }
  // At once: checking a password for the token of the examples takes a while.
  say(readyLine(settings));
  const examples = await exampleRequests(settings, gatewayUrl);
  if (examples !== '') say(`\n${examples}`);
});

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
