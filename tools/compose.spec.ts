import { readFileSync } from 'node:fs';
import path from 'node:path';
import { readSettings } from '@settle/config';
import { parse } from 'yaml';

interface Service {
  readonly image: string;
  readonly environment: Record<string, string>;
  readonly ports?: readonly string[];
  readonly healthcheck?: object;
  readonly depends_on?: Record<string, { readonly condition: string }>;
  readonly volumes: readonly string[];
  readonly mem_limit: string;
  readonly cpus: number;
  readonly pids_limit: number;
}

const root = path.dirname(import.meta.dirname);
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');

/** `${NAME}`, `${NAME:-otherwise}` and `${NAME:?complaint}`, the innermost first, as compose does. */
function substitute(text: string, env: Record<string, string>): string {
  const next = text.replace(/\$\{(\w+)(?::([-?])([^${}]*))?\}/g, (_whole, name: string, kind: string, rest: string) => {
    const value = env[name] ?? '';
    if (value !== '') return value;
    if (kind === '?') throw new Error(`${name}: ${rest}`);
    return rest ?? '';
  });
  return next === text ? text : substitute(next, env);
}

const composed = (env: Record<string, string>) =>
  parse(substitute(read('docker-compose.yml'), env)) as {
    readonly services: Record<'settle' | 'postgres', Service>;
    readonly volumes: Record<string, null>;
  };

describe('docker-compose.yml', () => {
  it('given no password, when it is read, then it refuses and says which variable to set', () => {
    expect(() => composed({})).toThrow(/^POSTGRES_PASSWORD: set it/);
  });

  it('given a password, when the settings are read from it, then they are sound and name the PostgreSQL beside it', () => {
    const { settle, postgres } = composed({ POSTGRES_PASSWORD: 'k7Qw2x', PORT: '8080' }).services;
    const settings = readSettings(settle.environment);
    const database = new URL(settings.databaseUrl ?? '');
    expect(settings.host).toBe('0.0.0.0');
    expect(settings.publicUrl).toBe('http://localhost:8080');
    expect(database.username).toBe(postgres.environment['POSTGRES_USER']);
    expect(database.password).toBe(postgres.environment['POSTGRES_PASSWORD']);
    expect(settle.depends_on).toEqual({ [database.hostname]: { condition: 'service_healthy' } });
    expect(settle.ports).toEqual(['127.0.0.1:8080:3000']);
  });

  it('given production without https, when the settings are read, then they are refused', () => {
    const { settle } = composed({
      POSTGRES_PASSWORD: 'k7Qw2x',
      NODE_ENV: 'production',
      PUBLIC_URL: 'http://pay.example.com',
    }).services;
    expect(() => readSettings(settle.environment)).toThrow(/PUBLIC_URL/);
  });

  it('given each service, when it is looked at, then it is bounded and its volumes are declared', () => {
    const { services, volumes } = composed({ POSTGRES_PASSWORD: 'k7Qw2x' });
    for (const service of Object.values(services)) {
      expect(service).toEqual(
        expect.objectContaining({
          mem_limit: expect.any(String),
          cpus: expect.any(Number),
          pids_limit: expect.any(Number),
        }),
      );
      const named = service.volumes.map((volume) => volume.split(':')[0] ?? '');
      expect(Object.keys(volumes)).toEqual(expect.arrayContaining(named));
    }
    expect(services.postgres.healthcheck).toBeDefined();
  });
});

describe('docker/Dockerfile', () => {
  it('given the image, when it is looked at, then it has a health check and does not run as root', () => {
    const lines = read('docker/Dockerfile').split('\n');
    const lastStage = lines.slice(lines.findLastIndex((line) => line.startsWith('FROM ')));
    expect(lastStage).toContain('USER node');
    expect(lastStage.some((line) => line.startsWith('HEALTHCHECK '))).toBe(true);
  });
});
