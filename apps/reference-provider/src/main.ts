import { SettingsError, readSettings } from '@settle/config';
import { Health, runUntilStopped, serveHealth } from '@settle/lifecycle';
import { Metrics, createLogger } from '@settle/observability';
import { readProviderSettings } from './provider-settings.js';
import { startReferenceProvider } from './start-reference-provider.js';

await runUntilStopped(async (running) => {
  const settings = readProviderSettings(process.env);
  const { databaseUrl, logLevel, health: healthAddress } = readSettings(process.env);
  if (databaseUrl === null) throw new SettingsError(['DATABASE_URL: it is required but not set']);
  const metrics = new Metrics();
  const logger = createLogger({ level: logLevel, service: 'reference-provider', metrics });
  const health = new Health();
  const { host, port } = healthAddress;
  if (port !== null) {
    const server = await serveHealth({ health, metrics }, { host, port });
    running.add('the health server', () => server.close());
  }
  const provider = await startReferenceProvider({ settings, databaseUrl, logger });
  running.add('the reference provider', () => provider.close());
  running.add('readiness', async () => health.drain());
  health.started(provider.checks);
  logger.info({ url: provider.url }, 'ready');
});
