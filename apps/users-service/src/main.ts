import { runService } from '@settle/lifecycle';
import { startUsersService } from './start-users-service.js';

await runService('users-service', ({ settings, logger, bus }) =>
  startUsersService({ settings, bus, logger, databaseUrl: settings.databaseUrl }),
);
