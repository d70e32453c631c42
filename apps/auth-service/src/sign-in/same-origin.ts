import type { IncomingHttpHeaders } from 'node:http';

const LOOPBACK = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:|$)/;

/**
 * Whether nothing that the browser says of a POST speaks against our own page having sent it. Our pages forbid
 * referrers, and then browsers write `Origin: null`; they vouch for us in `Sec-Fetch-Site` instead, except on plain
 * http beyond this machine, where the form's token has to do.
 */
export function isSameOrigin(headers: IncomingHttpHeaders, publicUrl: string): boolean {
  const { origin, 'sec-fetch-site': site } = headers;
  if (site !== undefined && site !== 'same-origin') return false;
  if (origin === undefined || origin === publicUrl) return true;
  if (origin !== 'null') return false;
  return site === 'same-origin' || (publicUrl.startsWith('http://') && !LOOPBACK.test(publicUrl));
}
