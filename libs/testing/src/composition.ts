import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SERVICES } from '@settle/contracts';
import { parse } from 'yaml';

/** The parts of a service of `docker-compose.yml` that specs read. */
export interface ComposedService {
  readonly image: string;
  readonly profiles?: readonly string[];
  readonly command?: readonly string[];
  /** Null means empty. */
  readonly environment: Record<string, string | number | null>;
  readonly ports?: readonly string[];
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly depends_on?: Record<string, { readonly condition: string }>;
  readonly volumes?: readonly string[];
  readonly networks?: readonly string[];
  readonly cap_drop?: readonly string[];
  readonly cap_add?: readonly string[];
  /** Absent for one container. */
  readonly scale?: number;
  readonly logging?: { readonly driver: string; readonly options: Readonly<Record<string, string>> };
  readonly restart: string;
  readonly mem_limit: string;
  readonly cpus: number;
  readonly pids_limit: number;
}

export interface Composition {
  readonly name: string;
  readonly services: Record<string, ComposedService>;
  readonly networks: Record<string, { readonly internal?: boolean } | null>;
  readonly volumes: Record<string, null>;
}

/** Example passwords of an operator, each a different one. */
export const COMPOSE_PASSWORDS = {
  POSTGRES_PASSWORD: 'k7Qw2x',
  MIGRATIONS_DB_PASSWORD: 'm1Gr',
  KAFKA_ADMIN_PASSWORD: 'k1Ad',
  ...Object.fromEntries(
    Object.values(SERVICES).flatMap(({ name, hasDatabase }) => [
      ...(hasDatabase ? [[`${name.toUpperCase()}_DB_PASSWORD`, `d${name}1`]] : []),
      [`${name.toUpperCase()}_KAFKA_PASSWORD`, `k${name}2`],
    ]) as [string, string][],
  ),
};

const FILE = join(import.meta.dirname, '..', '..', '..', 'docker-compose.yml');

/** Replaces `${NAME}`, `${NAME:-otherwise}` and `${NAME:?complaint}`, the innermost first, as compose does. */
function substitute(text: string, env: Record<string, string>): string {
  const next = text.replace(/\$\{(\w+)(?::([-?])([^${}]*))?\}/g, (_whole, name: string, kind: string, rest: string) => {
    const value = env[name] ?? '';
    if (value !== '') return value;
    if (kind === '?') throw new Error(`${name}: ${rest}`);
    return rest ?? '';
  });
  return next === text ? text : substitute(next, env);
}

/** Removes comments, which contain shell variables that compose does not substitute. */
const composeText = () => readFileSync(FILE, 'utf8').replace(/^ *#.*$/gm, '');

/** Returns the composition that `docker compose` reads with these variables and example passwords. Throws if a variable is missing. */
export function readComposition(env: Record<string, string>): Composition {
  return parse(substitute(composeText(), { ...COMPOSE_PASSWORDS, ...env }), { merge: true }) as Composition;
}

export function serviceOf(composition: Composition, name: string): ComposedService {
  const service = composition.services[name];
  if (service === undefined) throw new Error(`There is no service ${name}`);
  return service;
}

/** Returns the variables that the process gets. */
export function environmentOf(service: ComposedService): Record<string, string> {
  return Object.fromEntries(Object.entries(service.environment).map(([name, value]) => [name, String(value ?? '')]));
}
