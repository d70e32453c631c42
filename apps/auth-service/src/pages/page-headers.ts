import type { Settings } from '@settle/config';

const YEAR_S = 31_536_000;

/**
 * The content policy of a page: nothing but our own style and picture, no script. `formLeadsTo` is where a form's
 * answer may redirect to besides ourselves: browsers hold redirects after a form against `form-action` too.
 */
export function contentPolicy(formLeadsTo?: string): string {
  const formAction = formLeadsTo === undefined ? "'self'" : `'self' ${policySource(formLeadsTo)}`;
  return [
    "default-src 'none'",
    "style-src 'self'",
    "img-src 'self'",
    `form-action ${formAction}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** Headers of every answer of this service; a page may widen its content policy. */
export function securityHeaders(settings: Settings): Record<string, string> {
  const isHttps = settings.publicUrl.startsWith('https://');
  return {
    'content-security-policy': contentPolicy(),
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'cache-control': 'no-store, private',
    ...(isHttps && { 'strict-transport-security': `max-age=${YEAR_S}` }),
  };
}

/** The origin as a policy can name it. There is no way to write an IPv6 address, so its scheme must do. */
function policySource(uri: string): string {
  const { hostname, origin, protocol } = new URL(uri);
  return hostname.startsWith('[') ? protocol : origin;
}
