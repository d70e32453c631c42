import { SettleError } from '@settle/contracts';

/** The decoded query parameters: each name with all its values. */
export type QueryParameters = ReadonlyMap<string, readonly string[]>;

/** Parses a query string strictly. Throws `invalid_request` for an invalid percent escape, invalid UTF-8, or a NUL. */
export function parseQuery(query: string): QueryParameters {
  const pairs = query.split('&').filter((pair) => pair !== '');
  return groupByName(
    pairs.map((pair) => {
      const [name = '', ...rest] = pair.split('=');
      return [decode(name), decode(rest.join('='))];
    }),
  );
}

/** Returns each name with all its values. */
export function groupByName(pairs: readonly (readonly [name: string, value: string])[]): QueryParameters {
  const groups = new Map<string, string[]>();
  for (const [name, value] of pairs) {
    const values = groups.get(name);
    if (values) values.push(value);
    else groups.set(name, [value]);
  }
  return groups;
}

/** Returns the part of a URL after the question mark, unchanged. */
export function extractQuery(url: string): string {
  const index = url.indexOf('?');
  return index < 0 ? '' : url.slice(index + 1);
}

/** Appends parameters to the query of a URI, which otherwise stays byte for byte the same. */
export function appendParameters(uri: string, parameters: Readonly<Record<string, string>>): string {
  const added = Object.entries(parameters)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');
  if (!uri.includes('?')) return `${uri}?${added}`;
  return /[?&]$/.test(uri) ? uri + added : `${uri}&${added}`;
}

function decode(text: string): string {
  let decoded: string;
  try {
    decoded = decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw new SettleError('invalid_request', 'A parameter contains an invalid percent escape.');
  }
  if (decoded.includes('\0')) throw new SettleError('invalid_request', 'A parameter contains a NUL character.');
  return decoded;
}
