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
  const hasTaken = (waitMs: number) => bus.hasConsumed(TOPICS.usersState, payments.peopleGroup, waitMs);
  const people = new ReplicaCatchUp(hasTaken, logger);
  return {
    checks: { ...payments.checks, people: () => people.isDone },
    lags: payments.lags,
    drain: () => {
      people.stop();
      return payments.drain();
    },
    close: () => payments.close(),
  };
});
