import { runService } from '@settle/lifecycle';
import { startPaymentsService } from './start-payments-service.js';

await runService('payments-service', ({ settings, logger, bus }) =>
  startPaymentsService({ settings, bus, logger, databaseUrl: settings.databaseUrl, shape: 'distributed' }),
);
