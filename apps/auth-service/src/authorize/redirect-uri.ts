/** The addresses that an app registered. */
export interface RegisteredAddresses {
  /** The first is the one that holds when a request names none. */
  readonly redirectUrls: readonly string[];
  /** Whether addresses below a registered one will do as well. */
  readonly buildsAddresses: boolean;
}

/** The loopback interface by number: names can be made to lead elsewhere. */
const LOOPBACK = /^http:\/\/(127\.0\.0\.1|\[::1\])(?::([1-9][0-9]{0,4}))?(\/.*)?$/;
const LARGEST_PORT = 65_535;
const LONGEST = 2_048;

/** Only what RFC 3986 lets stand in an address: browsers make something else of the rest. */
const ADDRESS = /^(https?:\/\/[^/?#]+)(\/[^?#]*)(?:\?([^#]*))?$/;
const CHARACTERS = /^[A-Za-z0-9\-._~:/?[\]@!$&'()*+,;=%]+$/;
/** Dots that climb, also before a parameter of a segment, and slashes in disguise: servers differ in what they make of them. */
const MISLEADING_PATH = /(?:^|\/)(?:\.|%2e){1,2}(?:[;/]|%3b|$)|%(?:2f|5c|00)|%(?![0-9a-f]{2})|\\|\/\/|\p{Cc}/iu;
const HOST = /^(?:[a-z0-9.-]+|\[[0-9a-f:]+\])$/;
/** Parameters of an answer (RFC 6749 4.1.2, 4.2.2; RFC 9207): sent in advance they would be taken for ours. */
const OF_ANSWERS = /^(?:access_token|code|error|error_description|error_uri|expires_in|iss|scope|state|token_type)$/i;

/**
 * Where the answer to an authorization request goes, or null when it may go nowhere. `asked` must be one of the
 * registered addresses, character for character; a loopback address may name another port, since programs on a desk
 * listen where they can. When nothing is asked for it is the first one registered.
 */
export function resolveRedirectUri(
  { redirectUrls, buildsAddresses }: RegisteredAddresses,
  asked: string | undefined,
): string | null {
  if (asked === undefined) return redirectUrls[0] ?? null;
  const isRegistered = redirectUrls.some((one) => one === asked || differInPortOnly(one, asked));
  const isBuilt = buildsAddresses && redirectUrls.some((one) => isBelow(one, asked));
  return isRegistered || isBuilt ? asked : null;
}

function differInPortOnly(registered: string, asked: string): boolean {
  const known = LOOPBACK.exec(registered);
  const other = LOOPBACK.exec(asked);
  if (!known || !other) return false;
  return known[1] === other[1] && known[3] === other[3] && Number(other[2] ?? 80) <= LARGEST_PORT;
}

/** Same scheme, host and port, a path equal or below at a border of segments, and any query that is none of ours. */
function isBelow(registered: string, asked: string): boolean {
  const [, origin, path = ''] = ADDRESS.exec(registered) ?? [];
  const [, askedOrigin, askedPath = '', query = ''] = ADDRESS.exec(asked) ?? [];
  if (asked.length > LONGEST || !CHARACTERS.test(asked) || isMisleading(askedPath)) return false;
  if (origin === undefined || origin !== askedOrigin) return false;
  const folder = path.endsWith('/') ? path : `${path}/`;
  return (askedPath === path || askedPath.startsWith(folder)) && !holdsAnswer(query);
}

/** Some servers undo escapes once more, or before they look at the segments. */
function isMisleading(path: string): boolean {
  try {
    return MISLEADING_PATH.test(path) || MISLEADING_PATH.test(decodeURIComponent(path));
  } catch {
    return true;
  }
}

function holdsAnswer(query: string): boolean {
  return query.split('&').some((pair) => {
    const [name = ''] = pair.split('=');
    try {
      return OF_ANSWERS.test(decodeURIComponent(name.replaceAll('+', ' ')));
    } catch {
      return true;
    }
  });
}

/** Why an address cannot be registered, in words for its developer; null when it can. */
export function faultOfRedirectUrl(url: string): string | null {
  const [, , path, query] = ADDRESS.exec(url) ?? [];
  if (path === undefined || !CHARACTERS.test(url) || url.length > LONGEST) {
    return 'It must look like https://host/path, without blanks and without a part after #.';
  }
  if (query !== undefined) return 'It must end with its path: leave out the part after the question mark.';
  if (isMisleading(path))
    return 'Its path must not hold dots as a segment, double or encoded slashes, or broken escapes.';
  return isWrittenPlainly(url)
    ? null
    : 'Write it as browsers do: small letters in the host, no user name, no usual port.';
}

function isWrittenPlainly(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { href, hostname, username, password } = new URL(url);
  return href === url && HOST.test(hostname) && username === '' && password === '';
}
