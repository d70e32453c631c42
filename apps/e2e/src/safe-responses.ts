import type { ObservedResponse } from './documented-responses.js';

/** Only 303 makes a browser drop the posted form (RFC 9700 4.12). */
const AFTER_A_FORM = 303;
const REPEATING = [307, 308];

/** Headers of every page, with the beginnings of directives. */
const HEADERS_OF_PAGES: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
};
const DIRECTIVES = ["default-src 'none'", "base-uri 'none'", "frame-ancestors 'none'"];
const FORM_DIRECTIVE = 'form-action ';
/** Their forms redirect to an app, which may redirect on to any host: browsers apply `form-action` to every redirect. */
const PAGES_BEFORE_AN_APP = /^\/(?:(?:sandbox\/)?v1\/oauth\/(?:authorize|consent|sign-in)|account\/sign-in)$/;
/** The reference is the same for all users and contains no personal data. */
const SHARED_PAGES = /^\/docs$/;

/**
 * Throws when an attacker could use a response to a browser: a redirect that resends a form, or a page that
 * can be framed, stored, sniffed or filled with scripts (ASVS 5.0.0, 3.4).
 */
export function expectSafe(observed: ObservedResponse): void {
  const { method, status, headers } = observed;
  if (REPEATING.includes(status)) fail(observed, 'makes the browser resend the form to another address');
  if (method === 'POST' && headers.has('location') && status !== AFTER_A_FORM) fail(observed, 'redirects without 303');
  if (headers.get('content-type')?.startsWith('text/html')) expectSafePage(observed);
}

function expectSafePage(observed: ObservedResponse): void {
  const { url, headers } = observed;
  for (const [name, value] of Object.entries(HEADERS_OF_PAGES)) {
    if (headers.get(name) !== value) fail(observed, `has as ${name} "${headers.get(name)}"`);
  }
  const isStored = !/\bno-store\b/.test(headers.get('cache-control') ?? '');
  if (isStored && !SHARED_PAGES.test(new URL(url).pathname)) fail(observed, 'may be stored');
  const policy = (headers.get('content-security-policy') ?? '').split(/; */);
  const mayLackFormAction = PAGES_BEFORE_AN_APP.test(new URL(url).pathname);
  const required = mayLackFormAction ? DIRECTIVES : [...DIRECTIVES, FORM_DIRECTIVE];
  const missing = required.filter((start) => !policy.some((directive) => directive.startsWith(start)));
  if (missing.length > 0) fail(observed, `lacks ${missing.join(' and ')} in its policy`);
  if (/unsafe-|\*/.test(policy.join())) fail(observed, `has a policy that allows every source: ${policy.join('; ')}`);
}

function fail({ method, url, status }: ObservedResponse, problem: string): never {
  throw new Error(`The response to ${method} ${new URL(url).pathname}, ${status}, ${problem}.`);
}
