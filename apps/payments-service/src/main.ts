import { TOPICS } from '@settle/contracts';
import { runService } from '@settle/lifecycle';
import { ReplicaCatchUp } from './user-replica/replica-catch-up.js';
import { startPaymentsService } from './start-payments-service.js';

await runService('payments-service', async ({ settings, logger, bus, metrics, onFatal }) => {
  const payments = await startPaymentsService({
    settings,
    bus,
    logger,
    metrics,
    databaseUrl: settings.databaseUrl,
    shape: 'distributed',
    publishTo: bus,
    parent: process,
    onFatal,
  });
  const hasTaken = (waitMs: number) => bus.hasConsumed(TOPICS.usersState, payments.usersGroup, waitMs);
  const userReplica = new ReplicaCatchUp(hasTaken, logger);
  return {
    // A public name of the health check.
    checks: { ...payments.checks, people: () => userReplica.isDone },
    lags: payments.lags,
    drain: () => {
      userReplica.stop();
      return payments.drain();
    },
    close: () => payments.close(),
  };
});
