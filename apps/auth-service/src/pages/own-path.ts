/** Where pages of ours may lead back to. */
const PLACES = ['/account', '/developers', '/v1/oauth/authorize'];
export const START_OF_ACCOUNT = '/account';
const LONGEST = 6_000;

/**
 * The path of ours that somebody asked to be led back to; where that is none, the start of their account. It is read as
 * a browser reads it, and only what comes out of that is judged and used.
 */
export function ownPath(text: unknown): string {
  if (typeof text !== 'string' || text.length > LONGEST || !text.startsWith('/')) return START_OF_ACCOUNT;
  const origin = 'http://own.invalid';
  if (!URL.canParse(text, origin)) return START_OF_ACCOUNT;
  const url = new URL(text, origin);
  const isOwn = PLACES.some((place) => url.pathname === place || url.pathname.startsWith(`${place}/`));
  return url.origin === origin && isOwn ? url.pathname + url.search : START_OF_ACCOUNT;
}

/** `path` with where to go afterwards. @param returnTo a path of ours */
export function withReturnTo(path: string, returnTo: string): string {
  return returnTo === START_OF_ACCOUNT ? path : `${path}?return_to=${encodeURIComponent(returnTo)}`;
}
