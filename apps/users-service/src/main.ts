import { TOPICS } from '@settle/contracts';
import { runService } from '@settle/lifecycle';
import { startUsersService } from './start-users-service.js';

await runService('users-service', async ({ settings, logger, bus, metrics }) => {
  const recordsAreLost = await bus.contents(TOPICS.usersState).isEmpty();
  return startUsersService({ settings, bus, logger, databaseUrl: settings.databaseUrl, metrics, recordsAreLost });
});
