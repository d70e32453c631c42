import type { Environment } from '@settle/contracts';
import type { FastifyRequest } from 'fastify';

/** Where each environment's addresses begin. */
const BASE_PATHS: Readonly<Record<Environment, string>> = { live: '/v1', sandbox: '/sandbox/v1' };

const LIVE_ROUTE = `${BASE_PATHS.live}/`;

/** The base address of an environment, without a slash at its end. */
export function baseUrlOf(environment: Environment, publicUrl: string): string {
  return publicUrl + BASE_PATHS[environment];
}

/** A controller's path in every environment. @param path below the base addresses */
export function inEveryEnvironment(path: string): string[] {
  return Object.values(BASE_PATHS).map((base) => `${base}/${path}`);
}

/** The environment whose route took the request. */
export function environmentOf({ routeOptions }: Pick<FastifyRequest, 'routeOptions'>): Environment {
  return routeOptions.url?.startsWith(LIVE_ROUTE) === false ? 'sandbox' : 'live';
}
