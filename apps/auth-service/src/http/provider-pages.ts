import { toPolicySource } from './page-headers.js';

/** Returns the pages of the payment provider as sources of a content policy, for forms that redirect there. */
export function listProviderSources(pageOrigins: readonly string[]): readonly string[] {
  return pageOrigins.map(toPolicySource);
}
