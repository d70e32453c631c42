import type { App } from '../tables/app.entity.js';

/** Matches the loopback interface by IP address only, because a host name can resolve to another host. */
const LOOPBACK = /^http:\/\/(127\.0\.0\.1|\[::1\])(?::([1-9][0-9]{0,4}))?(\/.*)?$/;
const MAX_PORT = 65_535;
export const MAX_URL_LENGTH = 2_048;

/** Only characters that RFC 3986 allows: browsers rewrite the others. */
const URL_PARTS = /^(https?:\/\/[^/?#]+)(\/[^?#]*)(?:\?([^#]*))?$/;
const ALLOWED_CHARACTERS = /^[A-Za-z0-9\-._~:/?[\]@!$&'()*+,;=%]+$/;
/** Dot segments, also before a segment parameter, and encoded slashes: servers interpret them differently. */
const AMBIGUOUS_PATH = /(?:^|\/)(?:\.|%2e){1,2}(?:[;/]|%3b|$)|%(?:2f|5c|00)|%(?![0-9a-f]{2})|\\|\/\/|\p{Cc}/iu;
const HOST = /^(?:[a-z0-9.-]+|\[[0-9a-f:]+\])$/;
/** Response parameters (RFC 6749 4.1.2, 4.2.2; RFC 9207). In a redirect URI, the app would mistake them for the response. */
const RESPONSE_PARAMETER =
  /^(?:access_token|code|error|error_description|error_uri|expires_in|iss|scope|state|token_type)$/i;

/**
 * Returns the redirect URI for the response to an authorization request, or null if `requested` is not allowed. It must
 * equal a registered URI character for character; a loopback URI may use another port, since native apps listen on any
 * free port (RFC 8252 7.3). Without `requested`, the default is the first registered URI.
 */
export function resolveRedirectUri(
  { redirectUrls, buildsAddresses }: Pick<App, 'redirectUrls' | 'buildsAddresses'>,
  requested: string | undefined,
): string | null {
  if (requested === undefined) return redirectUrls[0] ?? null;
  const isRegistered = redirectUrls.some((url) => url === requested || differsOnlyInPort(url, requested));
  const isAllowedSubpath = buildsAddresses && redirectUrls.some((url) => isSubpath(url, requested));
  return isRegistered || isAllowedSubpath ? requested : null;
}

function differsOnlyInPort(registered: string, requested: string): boolean {
  const expected = LOOPBACK.exec(registered);
  const actual = LOOPBACK.exec(requested);
  if (!expected || !actual) return false;
  return expected[1] === actual[1] && expected[3] === actual[3] && Number(actual[2] ?? 80) <= MAX_PORT;
}

/** Whether scheme, host and port are equal, the path is equal or a subpath, and the query has no response parameter. */
function isSubpath(registered: string, requested: string): boolean {
  const [, origin, path = ''] = URL_PARTS.exec(registered) ?? [];
  const [, requestedOrigin, requestedPath = '', query = ''] = URL_PARTS.exec(requested) ?? [];
  if (requested.length > MAX_URL_LENGTH || !ALLOWED_CHARACTERS.test(requested) || isAmbiguous(requestedPath))
    return false;
  if (origin === undefined || origin !== requestedOrigin) return false;
  const folder = path.endsWith('/') ? path : `${path}/`;
  return (requestedPath === path || requestedPath.startsWith(folder)) && !hasResponseParameter(query);
}

/** Also tests the decoded path: some servers decode twice, or before they split the segments. */
function isAmbiguous(path: string): boolean {
  try {
    return AMBIGUOUS_PATH.test(path) || AMBIGUOUS_PATH.test(decodeURIComponent(path));
  } catch {
    return true;
  }
}

function hasResponseParameter(query: string): boolean {
  return query.split('&').some((pair) => {
    const [name = ''] = pair.split('=');
    try {
      return RESPONSE_PARAMETER.test(decodeURIComponent(name.replaceAll('+', ' ')));
    } catch {
      return true;
    }
  });
}

/** Returns the message for a redirect URL that cannot be registered, or null if it can. */
export function findRedirectUrlFault(url: string): string | null {
  const [, , path, query] = URL_PARTS.exec(url) ?? [];
  if (url.length > MAX_URL_LENGTH) return `Use at most ${MAX_URL_LENGTH} characters.`;
  if (/^https?:/i.test(url) && !/^https?:/.test(url)) return 'Write https:// in lowercase letters.';
  if (path === undefined || !ALLOWED_CHARACTERS.test(url)) {
    return 'Enter a URL such as https://host/path, without spaces and without a fragment (#).';
  }
  if (query !== undefined) return 'Remove the query (the part after the question mark).';
  if (isAmbiguous(path)) return 'Remove dot segments, double or encoded slashes, and invalid escapes from the path.';
  return isNormalized(url) ? null : 'Write the URL as browsers do: a lowercase host, no username, and no default port.';
}

function isNormalized(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { href, hostname, username, password } = new URL(url);
  return href === url && HOST.test(hostname) && username === '' && password === '';
}
