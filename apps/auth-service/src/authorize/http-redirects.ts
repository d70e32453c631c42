import { LIMITS, type Settings } from '@settle/config';
import type { DataSource } from 'typeorm';

/** Matches http URLs except loopback. PostgreSQL evaluates this pattern, too. */
const PLAIN_HTTP = '^http://(?!(?:localhost|127\\.0\\.0\\.1|\\[::1\\])(?::[0-9]+)?/)';
const PLAIN_HTTP_PATTERN = new RegExp(PLAIN_HTTP);

const SET_EXPIRY = `
  update apps set http_redirects_until = now() + $1 * interval '1 millisecond'
  where http_redirects_until is null and deleted_at is null
    and exists (select from unnest(redirect_urls) as url where url ~ $2)`;

/** Whether a response to this redirect URI crosses the network unencrypted. */
export function isPlainHttp(redirectUri: string): boolean {
  return PLAIN_HTTP_PATTERN.test(redirectUri);
}

/** Whether apps may register plain http redirect URIs. */
export function allowsPlainHttp({ nodeEnv, allowHttpRedirects }: Settings): boolean {
  return nodeEnv !== 'production' || allowHttpRedirects;
}

/**
 * At the first start that disallows plain http redirect URIs, gives apps that registered some 90 days to replace them.
 * The developer pages show the deadline.
 */
export async function scheduleHttpRedirectExpiry(dataSource: DataSource, settings: Settings): Promise<void> {
  if (allowsPlainHttp(settings)) return;
  await dataSource.query(SET_EXPIRY, [LIMITS.auth.httpRedirectsMs, PLAIN_HTTP]);
}
