import { LIMITS, type Settings } from '@settle/config';
import type { DataSource } from 'typeorm';

/** http beyond the machine itself. Read by PostgreSQL as well. */
const PLAIN_HTTP = '^http://(?!(?:localhost|127\\.0\\.0\\.1|\\[::1\\])(?::[0-9]+)?/)';
const PATTERN = new RegExp(PLAIN_HTTP);

const END = `
  update apps set http_redirects_until = now() + $1 * interval '1 millisecond'
  where http_redirects_until is null and deleted_at is null
    and exists (select from unnest(redirect_urls) as url where url ~ $2)`;

/** Whether an answer sent to this address goes over a network that anybody on the way can read. */
export function isPlainHttp(redirectUri: string): boolean {
  return PATTERN.test(redirectUri);
}

/** Whether apps may register addresses of plain http. */
export function allowsPlainHttp({ nodeEnv, allowHttpRedirects }: Settings): boolean {
  return nodeEnv !== 'production' || allowHttpRedirects;
}

/**
 * At the first start that no longer allows redirect addresses of plain http, gives the apps that have some on file 90 days
 * to replace them. Their developers read it on the pages of their apps.
 */
export async function endHttpRedirects(dataSource: DataSource, settings: Settings): Promise<void> {
  if (allowsPlainHttp(settings)) return;
  await dataSource.query(END, [LIMITS.auth.httpRedirectsMs, PLAIN_HTTP]);
}
