import { readSettings, type Settings } from '@settle/config';
import { DEMO_PASSWORD, DEMO_USERS } from '@settle/contracts';
import { InMemoryBus, MessageClient } from '@settle/messaging';
import { createLogger, type Logger } from '@settle/observability';
import { createPool, migrateSchema } from '@settle/postgres';
import type { Pool } from 'pg';
import { AUTH_SCHEMA } from '../src/tables/auth-schema.js';
import { PagesBrowser } from './pages-browser.fixture.js';
import { startAuthService, type AuthService } from '../src/start-auth-service.js';

interface SpecDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

/** A running auth-service with its own database, and the clients that a spec uses. */
export interface StartedAuth {
  readonly service: AuthService;
  readonly settings: Settings;
  readonly bus: InMemoryBus;
  readonly client: MessageClient;
  readonly pool: Pool;
  readonly databaseUrl: string;
  stop(): Promise<void>;
}

const silent = createLogger({ level: 'silent', service: 'auth' });

export async function startAuth(
  database: SpecDatabase,
  env: Record<string, string> = {},
  logger: Logger = silent,
): Promise<StartedAuth> {
  const settings = readSettings({ NODE_ENV: 'test', ...env });
  const bus = new InMemoryBus({ logger, copyMessages: true });
  await migrateSchema(AUTH_SCHEMA, database.url);
  const service = await startAuthService({ settings, bus, logger, databaseUrl: database.url });
  const pool = createPool(database.url, { max: 2, name: 'spec' });
  const stop = async () => {
    await service.close();
    await bus.close();
    await pool.end();
    await database.drop();
  };
  return { service, settings, bus, client: new MessageClient(bus), pool, databaseUrl: database.url, stop };
}

/** Signs in a demo user during an authorization request; returns the browser and the consent page. */
export async function signInDemoUser(auth: StartedAuth, query: string, username = DEMO_USERS.alice.username) {
  const browser = new PagesBrowser(auth.service.url);
  const signInPage = await (await browser.get(`/v1/oauth/authorize?${query}`)).text();
  const answer = await browser.submit(signInPage, '/v1/oauth/sign-in', { username, password: DEMO_PASSWORD });
  const consentPage = await (await browser.get(answer.headers.get('location') ?? '')).text();
  return { browser, signInPage, answer, consentPage };
}
