import { fileURLToPath } from 'node:url';
import type { ServiceDatabases } from '@settle/launching';
import type { Group } from './arguments.js';

interface Service {
  /** Instances are `<name>-1` and so on. */
  readonly name: string;
  /** Folder of the app. */
  readonly app: string;
  /** Null: it has none. */
  readonly database: keyof ServiceDatabases | null;
  /** Whether it listens for requests over HTTP, beside those about its health. */
  readonly hasHttp: boolean;
}

/** How each service is run as a process. */
export const SERVICES: Readonly<Record<Group, Service>> = {
  gateways: { name: 'gateway', app: 'api-gateway', database: null, hasHttp: true },
  payments: { name: 'payments', app: 'payments-service', database: 'payments', hasHttp: false },
  users: { name: 'users', app: 'users-service', database: 'users', hasHttp: false },
  auth: { name: 'auth', app: 'auth-service', database: 'auth', hasHttp: true },
};

/** The built program of a service. */
export function programOf(group: Group): string {
  return fileURLToPath(new URL(`../../${SERVICES[group].app}/dist/main.js`, import.meta.url));
}

/** The built program that migrates a service's database. */
export function migrationsOf(group: Group): string {
  return fileURLToPath(new URL(`../../${SERVICES[group].app}/dist/migrate.js`, import.meta.url));
}
