import type { IncomingHttpHeaders } from 'node:http';

const LOOPBACK = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:|$)/;

/**
 * Whether the headers of a POST allow that a page of `publicUrl` sent it. The pages send no referrer, so browsers send
 * `Origin: null` and identify the origin by `Sec-Fetch-Site` instead; not on plain http beyond this machine, where the
 * form token alone protects.
 */
export function isSameOrigin(headers: IncomingHttpHeaders, publicUrl: string): boolean {
  const { origin, 'sec-fetch-site': site } = headers;
  if (site !== undefined && site !== 'same-origin') return false;
  if (origin === undefined || origin === publicUrl) return true;
  if (origin !== 'null') return false;
  return site === 'same-origin' || (publicUrl.startsWith('http://') && !LOOPBACK.test(publicUrl));
}
