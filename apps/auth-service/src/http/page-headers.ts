import type { Settings } from '@settle/config';

const SECONDS_PER_YEAR = 31_536_000;

/**
 * Where the forms of a page may lead besides this service, as sources of a content policy. `anywhere` is for a form that
 * redirects to an app. Browsers apply `form-action` to every redirect that follows a submission and stop silently at one
 * that it does not list; an app may redirect on to another host or to the scheme of a native app, which this service
 * cannot know. The directive protects only against an injected form. These pages escape every value and submit to this
 * service, which redirects only to a registered URI, so they lose nothing else by omitting it.
 */
export type FormSources = readonly string[] | 'anywhere';

/** Returns the Content-Security-Policy of a page: only styles and images of this service, no scripts. */
export function buildContentSecurityPolicy(formSources: FormSources = []): string {
  return [
    "default-src 'none'",
    "style-src 'self'",
    "img-src 'self'",
    ...(formSources === 'anywhere' ? [] : [`form-action ${["'self'", ...formSources].join(' ')}`]),
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
