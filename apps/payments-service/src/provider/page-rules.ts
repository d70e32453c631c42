import { isLoopbackHost } from '@settle/config';

export interface PageRules {
  /** Origins of the provider's pages. */
  readonly pageOrigins: readonly string[];
  /** Whether any address on loopback is one, too. */
  readonly allowLoopbackPages: boolean;
}

/** Returns whether a user may be sent to this page of the provider. */
export function isAllowedPage(address: string, { pageOrigins, allowLoopbackPages }: PageRules): boolean {
  if (!URL.canParse(address)) return false;
  const { origin, hostname, username, password } = new URL(address);
  if (username !== '' || password !== '') return false;
  return pageOrigins.includes(origin) || (allowLoopbackPages && isLoopbackHost(hostname));
}
