import type { Environment } from '@settle/contracts';
import type { FastifyRequest } from 'fastify';

/** Path prefix of each environment. */
export const BASE_PATHS: Readonly<Record<Environment, string>> = { live: '/v1', sandbox: '/sandbox/v1' };

const LIVE_ROUTE = `${BASE_PATHS.live}/`;

/** Returns the base URL of an environment, without a trailing slash. */
export function baseUrlOf(environment: Environment, publicUrl: string): string {
  return publicUrl + BASE_PATHS[environment];
}

/** Returns a controller's path in every environment. @param path below the base URLs */
export function inEveryEnvironment(path: string): string[] {
  return Object.values(BASE_PATHS).map((base) => `${base}/${path}`);
}

/** Returns the environment of the route that matched the request. */
export function environmentOf({ routeOptions }: Pick<FastifyRequest, 'routeOptions'>): Environment {
  return routeOptions.url?.startsWith(LIVE_ROUTE) === false ? 'sandbox' : 'live';
}
