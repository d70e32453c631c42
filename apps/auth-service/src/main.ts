import { runService } from '@settle/lifecycle';
import { startAuthService } from './start-auth-service.js';

await runService('auth-service', ({ settings, logger, bus }) =>
  startAuthService({ settings, bus, logger, databaseUrl: settings.databaseUrl, listen: settings }),
);
