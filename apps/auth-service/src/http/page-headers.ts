import type { Settings } from '@settle/config';

const SECONDS_PER_YEAR = 31_536_000;

/**
 * Returns the Content-Security-Policy of a page: only styles and images of this service, no scripts. `formRedirectsTo` is
 * a URI of another host that a form submission may redirect to: browsers apply `form-action` to redirects, too.
 * `formSources` are further ones, as sources of a policy.
 */
export function buildContentSecurityPolicy(formRedirectsTo?: string, formSources: readonly string[] = []): string {
  const target = formRedirectsTo === undefined ? [] : [toPolicySource(formRedirectsTo)];
  const formAction = ["'self'", ...target, ...formSources].join(' ');
  return [
    "default-src 'none'",
    "style-src 'self'",
    "img-src 'self'",
    `form-action ${formAction}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** Returns the headers of every response of this service. A page may extend its content policy. */
export function buildSecurityHeaders(settings: Settings): Record<string, string> {
  const isHttps = settings.publicUrl.startsWith('https://');
  return {
    'content-security-policy': buildContentSecurityPolicy(),
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'cache-control': 'no-store, private',
    ...(isHttps && { 'strict-transport-security': `max-age=${SECONDS_PER_YEAR}` }),
  };
}

/** Returns the origin of a URI, or its scheme for an IPv6 address, which a policy cannot express. */
export function toPolicySource(uri: string): string {
  const { hostname, origin, protocol } = new URL(uri);
  return hostname.startsWith('[') ? protocol : origin;
}
