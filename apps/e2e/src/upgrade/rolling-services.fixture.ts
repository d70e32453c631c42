import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { SERVICES, SERVICE_NAMES, DATABASE_SERVICES, databaseNameOf, type ServiceName } from '@settle/contracts';
import {
  FreezingPath,
  freePort,
  freshDatabase,
  startPostgresForSpecs,
  stopPostgresOfSpecs,
  testAdminUrl,
  programEnvironment,
} from '@settle/testing';
import pg from 'pg';
import { migrate, startService, type ServiceProcess } from '../service-process.fixture.js';

const VERIFY_TIMEOUT_MS = 60_000;
/** Until the first instance is ready. */
const NOWHERE = 'http://127.0.0.1:9';

const databaseOf = (app: ServiceName) => `settle_${databaseNameOf(app)}`;

const originOf = (path: FreezingPath | undefined) => (path === undefined ? '' : new URL(path.url).origin);

type Settings = Readonly<Record<string, string>>;

/** The four services, one process each, of which any can be replaced by one of another version. */
export class RollingServices {
  readonly #running = new Map<ServiceName, ServiceProcess>();
  readonly #urls = new Map<ServiceName, Settings>();
  #started = 0;

  private constructor(
    /** The public addresses of those that take requests over HTTP. */
    private readonly paths: Readonly<Partial<Record<ServiceName, FreezingPath>>>,
  ) {}

  /** Starts PostgreSQL and the services of a version. @param root the folder of the built version */
  static async start(root: string): Promise<RollingServices> {
    await startPostgresForSpecs();
    const paths = { 'api-gateway': await FreezingPath.to(NOWHERE), 'auth-service': await FreezingPath.to(NOWHERE) };
    const services = new RollingServices(paths);
    for (const app of DATABASE_SERVICES) {
      const database = await freshDatabase(databaseOf(app));
      const MIGRATIONS_DATABASE_URL = await database.separateMigrations();
      services.#urls.set(app, { DATABASE_URL: database.url, MIGRATIONS_DATABASE_URL });
    }
    await services.migrate(root);
    await Promise.all(SERVICE_NAMES.map((app) => services.replace(app, root)));
    return services;
  }

  /** The public address, which stays the same. */
  get url(): string {
    return originOf(this.paths['api-gateway']);
  }

  /** Migrates every database by the program of a version. Returns the line that each prints. */
  migrate(root: string): Promise<string[]> {
    return Promise.all(DATABASE_SERVICES.map((app) => migrate(app, this.#urls.get(app) ?? {}, root)));
  }

  /** Starts an instance of a version, gives it what is new once it is ready, and stops the one that it replaces. */
  async replace(app: ServiceName, root: string): Promise<void> {
    const httpPort = await freePort();
    const next = await startService(app, this.#settingsOf(app, httpPort), root);
    const previous = this.#running.get(app);
    this.#running.set(app, next);
    await next.ready();
    this.paths[app]?.leadTo(`http://127.0.0.1:${httpPort}`);
    previous?.signal('SIGTERM');
    await previous?.ended();
  }

  /** Returns what `ledger verify` of a version prints. Rejects with it if anything differs. */
  async verifyLedger(root: string): Promise<string> {
    const program = join(root, 'apps/payments-service/dist/operators/ledger-command.js');
    const env = { ...programEnvironment(), ...this.#shared(), ...this.#urls.get('payments-service') };
    const running = promisify(execFile)(process.execPath, [program, 'verify'], { env, timeout: VERIFY_TIMEOUT_MS });
    const { stdout } = await running.catch(({ message, stdout: printed }: Error & { stdout: string }) => {
      throw new Error(`${message}${printed}`);
    });
    return stdout;
  }

  /** Returns the columns of all tables of a service, such as `users.username text`. */
  async columns(app: ServiceName): Promise<string[]> {
    const url = new URL(testAdminUrl());
    url.pathname = databaseOf(app);
    const client = new pg.Client(url.href);
    await client.connect();
    try {
      const { rows } = await client.query<{ column: string }>(
        `select format('%s.%s.%s %s', table_schema, table_name, column_name, data_type) as column
         from information_schema.columns where table_schema not in ('pg_catalog', 'information_schema')`,
      );
      return rows.map(({ column }) => column);
    } finally {
      await client.end();
    }
  }

  async end(): Promise<void> {
    for (const service of this.#running.values()) {
      service.signal('SIGKILL');
      await service.ended();
    }
    await Promise.all(Object.values(this.paths).map((path) => path.close()));
    await stopPostgresOfSpecs();
  }

  #shared(): Settings {
    return {
      PUBLIC_URL: this.url,
      KAFKA_BROKERS: process.env['SETTLE_TEST_KAFKA'] ?? '',
      KAFKA_SESSION_TIMEOUT_MS: '2000',
      RATE_LIMITS: 'off',
    };
  }

  #settingsOf(app: ServiceName, port: number): Settings {
    this.#started += 1;
    const own = { INSTANCE_ID: `${SERVICES[app].name}-${this.#started}`, PORT: String(port) };
    return { ...this.#shared(), ...this.#urls.get(app), AUTH_URL: originOf(this.paths['auth-service']), ...own };
  }
}
