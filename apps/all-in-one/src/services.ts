/** The services and their bus: a module of their own, so that they are loaded while PostgreSQL starts. */
import type { Settings } from '@settle/config';
import { startApiGateway } from '@settle/api-gateway';
import { AUTH_SCHEMA, startAuthService } from '@settle/auth-service';
import type { ServiceDatabases } from '@settle/launching';
import type { Health, Running } from '@settle/lifecycle';
import { InMemoryBus } from '@settle/messaging';
import type { Logger, Metrics } from '@settle/observability';
import { PAYMENTS_SCHEMA, startPaymentsService } from '@settle/payments-service';
import { migrateSchema } from '@settle/postgres';
import { USERS_SCHEMA, startUsersService } from '@settle/users-service';

interface ServicesParts {
  readonly settings: Settings;
  readonly databases: ServiceDatabases;
  readonly health: Health;
  readonly logger: Logger;
  readonly metrics: Metrics | undefined;
  readonly running: Running;
}

/** Brings the tables of every service to this release. Errors: the databases'. */
export async function migrateServices(databases: ServiceDatabases): Promise<void> {
  await Promise.all([
    migrateSchema(AUTH_SCHEMA, databases.auth.migrations),
    migrateSchema(USERS_SCHEMA, databases.users.migrations),
    migrateSchema(PAYMENTS_SCHEMA, databases.payments.migrations),
  ]);
}

/** Starts all services on one bus in memory. Returns the address of the gateway. */
export async function startServices({ settings, databases, health, logger, metrics, running }: ServicesParts) {
  const bus = new InMemoryBus({ logger, metrics });
  running.add('the bus', () => bus.close());

  const parts = { settings, bus, logger, metrics };
  // Before users: the bus in memory keeps no record for a consumer that registers later.
  const payments = await startPaymentsService({
    ...parts,
    databaseUrl: databases.payments.service,
    shape: 'embedded',
    eventsOn: bus,
    onFatal: (error) => running.fail(error),
  });
  running.add('payments', () => payments.close());
  const users = await startUsersService({ ...parts, databaseUrl: databases.users.service, isOnlyInstance: true });
  running.add('users', () => users.close());
  if (!payments.isUserReplicaFilled) await users.announceEverything();
  const auth = await startAuthService({ ...parts, databaseUrl: databases.auth.service });
  running.add('auth', () => auth.close());
  const gateway = await startApiGateway({ ...parts, authUrl: auth.url, callbacksUrl: payments.callbacksUrl });
  running.add('the gateway', () => gateway.close());
  running.add('readiness', async () => health.drain());
  health.started(payments.checks, payments.lags);
  return gateway.url;
}
