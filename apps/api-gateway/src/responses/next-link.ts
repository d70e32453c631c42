import { formatIsoDateUs, type FriendsPage, type PaymentsPage } from '@settle/contracts';
import type { RequestParameters } from '../parameters/request-parameters.js';

/**
 * Returns the link to the next page of GET /payments: `limit`, the cursor, and every filter of the request; null if
 * there is no further page. @param url of the list, absolute, without query
 */
export function nextPaymentsLink(
  url: string,
  parameters: RequestParameters,
  limit: number,
  page: PaymentsPage,
): string | null {
  if (page.next === null) return null;
  const { beforeUs, beforeId } = page.next;
  const cursor = { before: formatIsoDateUs(beforeUs), before_id: beforeId };
  const { action, actor, status, after } = parameters;
  return linkTo(url, { limit: String(limit), ...cursor, action, actor, status, after });
}

/** Returns the link to the next page of a friends list; null if there is none. @param url as in `nextPaymentsLink` */
export function nextFriendsLink(
  url: string,
  parameters: RequestParameters,
  limit: number,
  page: FriendsPage,
): string | null {
  const last = page.friends.at(-1);
  if (!page.hasMore || last === undefined) return null;
  return linkTo(url, { after: last.id, limit: String(limit), before: parameters['before'] });
}

function linkTo(url: string, parameters: Record<string, unknown>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (typeof value === 'string' && value !== '') query.set(name, value);
  }
  return `${url}?${query.toString()}`;
}
