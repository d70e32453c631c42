import type { Environment } from '@settle/contracts';

const SANDBOX = 'sandbox/v1/oauth';

/** The sandbox has the same authorization endpoints, for clients that know one base address alone. @param path below them */
export function oauthPaths(path = ''): string[] {
  return ['v1/oauth', SANDBOX].map((base) => base + path);
}

/** The environment whose base address a request was sent to. @param url with its path, as `request.url` */
export function environmentOfUrl(url: string): Environment {
  return url.startsWith(`/${SANDBOX}/`) ? 'sandbox' : 'live';
}
