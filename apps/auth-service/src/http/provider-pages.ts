import type { PageRules } from '@settle/config';
import { toPolicySource } from './page-headers.js';

/** Policies cannot express the IPv6 address of this machine. */
const LOOPBACK_SOURCES = ['http://localhost:*', 'http://127.0.0.1:*'];

/** Returns the pages of the payment provider as sources of a content policy, for forms that redirect there. */
export function listProviderSources({ pageOrigins, allowLoopbackPages }: PageRules): readonly string[] {
  return [...pageOrigins.map(toPolicySource), ...(allowLoopbackPages ? LOOPBACK_SOURCES : [])];
}
