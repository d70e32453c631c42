import { isLoopbackHost, type Settings } from '@settle/config';
import { toPolicySource } from './page-headers.js';

type PageRules = Pick<Settings['funding'], 'pageOrigins' | 'allowLoopbackPages'>;

/** Policies cannot express the IPv6 address of this machine. */
const LOOPBACK_SOURCES = ['http://localhost:*', 'http://127.0.0.1:*'];

/** Returns whether a user may be sent to this page of the payment provider. */
export function isProviderPage(address: string, { pageOrigins, allowLoopbackPages }: PageRules): boolean {
  if (!URL.canParse(address)) return false;
  const { origin, protocol, hostname, username, password } = new URL(address);
  if (username !== '' || password !== '') return false;
  const isWeb = protocol === 'https:' || protocol === 'http:';
  return pageOrigins.includes(origin) || (allowLoopbackPages && isWeb && isLoopbackHost(hostname));
}

/** Returns the pages of the payment provider as sources of a content policy, for forms that redirect there. */
export function listProviderSources({ pageOrigins, allowLoopbackPages }: PageRules): readonly string[] {
  return [...pageOrigins.map(toPolicySource), ...(allowLoopbackPages ? LOOPBACK_SOURCES : [])];
}
