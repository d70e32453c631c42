export const ACCOUNT_HOME = '/account';
export const AUTHORIZE_PATH = '/v1/oauth/authorize';
/** The paths that a page may return to, including their subpaths. */
const RETURN_PREFIXES = [ACCOUNT_HOME, '/developers', AUTHORIZE_PATH];
const MAX_LENGTH = 6_000;

/**
 * Returns the path of this service that `return_to` names, or the account page for anything else. Parses the text as a
 * browser does, and checks and returns only the parsed path.
 */
export function parseReturnPath(text: unknown): string {
  if (typeof text !== 'string' || text.length > MAX_LENGTH || !text.startsWith('/')) return ACCOUNT_HOME;
  const origin = 'http://own.invalid';
  if (!URL.canParse(text, origin)) return ACCOUNT_HOME;
  const url = new URL(text, origin);
  const isAllowed = RETURN_PREFIXES.some((prefix) => url.pathname === prefix || url.pathname.startsWith(`${prefix}/`));
  return url.origin === origin && isAllowed ? url.pathname + url.search : ACCOUNT_HOME;
}

/** Adds the `return_to` parameter to a path. @param returnTo a path of this service */
export function withReturnTo(path: string, returnTo: string): string {
  return returnTo === ACCOUNT_HOME ? path : `${path}?return_to=${encodeURIComponent(returnTo)}`;
}
