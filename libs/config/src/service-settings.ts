import { hostname } from 'node:os';
import { SERVICES, type ServiceName } from '@settle/contracts/services';
import type { EnvironmentVariables } from './settings-reader.js';
import { SETTINGS_TABLE as TABLE } from './settings-table.js';
import { readSettings, type Settings } from './settings.js';

/** The settings of a process that runs one service. */
export interface ServiceSettings extends Settings {
  readonly instanceId: string;
  /** The URL of the service's database; empty for the gateway, which has none. */
  readonly databaseUrl: string;
  /** Where auth-service listens; empty for all but the gateway. */
  readonly authUrl: string;
  /** Port 0: a free one. */
  readonly health: { readonly host: string; readonly port: number };
}

const HEALTH_PORT = 9_000;

const { kafkaBrokers, databaseUrl, authUrl, publicUrl } = TABLE;

const NEEDED = { AUTH_URL: authUrl, PUBLIC_URL: publicUrl };

/** Returns the settings of a service's process. Errors: `SettingsError`, which includes missing settings of the service. */
export function readServiceSettings(service: ServiceName, env: EnvironmentVariables): ServiceSettings {
  const { hasDatabase, needs } = SERVICES[service];
  const needed = [kafkaBrokers, ...(hasDatabase ? [databaseUrl] : []), ...needs.map((name) => NEEDED[name])];
  const settings = readSettings(env, needed);
  return Object.freeze({
    ...settings,
    instanceId: settings.instanceId ?? `${service}-${hostname()}-${process.pid}`,
    databaseUrl: settings.databaseUrl ?? '',
    authUrl: settings.authUrl ?? '',
    health: Object.freeze({ host: settings.health.host, port: settings.health.port ?? HEALTH_PORT }),
  });
}
