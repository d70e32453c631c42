import type { Environment } from '@settle/contracts';

const SANDBOX = 'sandbox/v1/oauth';

/** Returns the live and the sandbox path of an endpoint. @param path below the base */
export function buildOauthPaths(path = ''): string[] {
  return ['v1/oauth', SANDBOX].map((base) => base + path);
}

/** Returns the environment of a request by its base path. @param url as `request.url`, beginning with the path */
export function readEnvironment(url: string): Environment {
  return url.startsWith(`/${SANDBOX}/`) ? 'sandbox' : 'live';
}
