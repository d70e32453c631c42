import { runService } from '@settle/lifecycle';
import { startPaymentsService } from './start-payments-service.js';

await runService('payments-service', ({ settings, logger, bus }) => {
  const { databaseUrl } = settings;
  return startPaymentsService({ settings, bus, logger, databaseUrl, shape: 'distributed', publishTo: bus });
});
