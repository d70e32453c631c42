import { formatIsoDateUs, type FriendsPage, type PaymentsPage } from '@settle/contracts';
import type { RequestParameters } from '../parameters/request-parameters.js';

/**
 * Returns the link to the next page of GET /payments: `limit`, the cursor, and every filter of the request; null if
 * there is no further page. @param url of the list, absolute, without query
 */
export function nextPaymentsLink(
  url: string,
  { action, actor, status, after }: RequestParameters,
  limit: number,
  { next }: PaymentsPage,
): string | null {
  if (next === null) return null;
  const cursor = { before: formatIsoDateUs(next.beforeUs), before_id: next.beforeId };
  return linkTo(url, { limit: String(limit), ...cursor, action, actor, status, after });
}

/** Returns the link to the next page of a friends list; null if there is none. @param url as in `nextPaymentsLink` */
export function nextFriendsLink(
  url: string,
  { before }: RequestParameters,
  limit: number,
  { friends, hasMore }: FriendsPage,
): string | null {
  const last = friends.at(-1);
  return hasMore && last !== undefined ? linkTo(url, { after: last.id, limit: String(limit), before }) : null;
}

function linkTo(url: string, parameters: RequestParameters): string {
  const query = Object.entries(parameters).filter(([, value]) => typeof value === 'string' && value !== '');
  const encoded = new URLSearchParams(query as [string, string][]).toString();
  // A comma may stand in a query as it is. Escaped, a long list would exceed the longest URL.
  return `${url}?${encoded.replaceAll('%2C', ',')}`;
}
