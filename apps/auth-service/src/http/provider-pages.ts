import type { PageRules } from '@settle/config';
import { toPolicySource } from './page-headers.js';

/** Returns the pages of the payment provider as sources of a content policy, for forms that redirect there. */
export function listProviderSources({ pageOrigins }: PageRules): readonly string[] {
  return pageOrigins.map(toPolicySource);
}
