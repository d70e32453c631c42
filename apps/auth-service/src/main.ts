import { runService } from '@settle/lifecycle';
import { startAuthService } from './start-auth-service.js';

await runService('auth-service', ({ settings, logger, bus, metrics }) =>
  startAuthService({
    settings,
    bus,
    logger,
    metrics,
    databaseUrl: settings.databaseUrl,
    listen: settings,
    parent: process,
  }),
);
