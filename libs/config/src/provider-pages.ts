import { isLoopbackHost } from './setting-parsers.js';

export interface PageRules {
  /** Origins of the payment provider's pages. */
  readonly pageOrigins: readonly string[];
  /** Whether any address on loopback is one, too. */
  readonly allowLoopbackPages: boolean;
}

/** Returns whether a user may be sent to this page of the payment provider. */
export function isProviderPage(address: string, { pageOrigins, allowLoopbackPages }: PageRules): boolean {
  if (!URL.canParse(address)) return false;
  const { origin, protocol, hostname, username, password } = new URL(address);
  if (username !== '' || password !== '') return false;
  const isWeb = protocol === 'https:' || protocol === 'http:';
  return pageOrigins.includes(origin) || (allowLoopbackPages && isWeb && isLoopbackHost(hostname));
}
