import type { Answered } from './documented-answers.js';

/** 303 alone makes a browser forget what it has posted (RFC 9700 4.12). */
const AFTER_A_FORM = 303;
const REPEATING = [307, 308];

/** Headers of every page; of directives, their beginning. */
const HEADERS_OF_PAGES: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
};
const DIRECTIVES = ["default-src 'none'", "base-uri 'none'", "frame-ancestors 'none'", 'form-action '];
/** The reference is the same for all users and contains no personal data. */
const FOR_EVERYBODY = /^\/docs$/;

/**
 * Throws where an answer to a browser is one that an attacker could use: a redirect that sends a form on, a page that
 * can be framed, stored, sniffed or filled with scripts (ASVS 5.0.0, 3.4).
 */
export function expectSafe(answered: Answered): void {
  const { method, status, headers } = answered;
  if (REPEATING.includes(status)) fail(answered, 'repeats what was sent at another address');
  if (method === 'POST' && headers.has('location') && status !== AFTER_A_FORM) fail(answered, 'leads on by no 303');
  if (headers.get('content-type')?.startsWith('text/html')) expectSafePage(answered);
}

function expectSafePage(answered: Answered): void {
  const { url, headers } = answered;
  for (const [name, value] of Object.entries(HEADERS_OF_PAGES)) {
    if (headers.get(name) !== value) fail(answered, `has as ${name} "${headers.get(name)}"`);
  }
  const isStored = !/\bno-store\b/.test(headers.get('cache-control') ?? '');
  if (isStored && !FOR_EVERYBODY.test(new URL(url).pathname)) fail(answered, 'may be stored');
  const policy = (headers.get('content-security-policy') ?? '').split(/; */);
  const missing = DIRECTIVES.filter((start) => !policy.some((directive) => directive.startsWith(start)));
  if (missing.length > 0) fail(answered, `lacks ${missing.join(' and ')} in its policy`);
  if (/unsafe-|\*/.test(policy.join())) fail(answered, `has a policy that lets everything in: ${policy.join('; ')}`);
}

function fail({ method, url, status }: Answered, problem: string): never {
  throw new Error(`The answer to ${method} ${new URL(url).pathname}, ${status}, ${problem}.`);
}
