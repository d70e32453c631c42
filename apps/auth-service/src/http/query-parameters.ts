import { SettleError } from '@settle/contracts';

/** The decoded query parameters: each name with all its values. */
export type QueryParameters = ReadonlyMap<string, readonly string[]>;

/** Parses a query string strictly. Throws `invalid_request` for an invalid percent escape, invalid UTF-8, or a NUL. */
export function parseQuery(query: string): QueryParameters {
  const parameters = new Map<string, string[]>();
  for (const pair of query.split('&')) {
    if (pair === '') continue;
    const [name = '', ...rest] = pair.split('=');
    const key = decode(name);
    const values = parameters.get(key);
    const value = decode(rest.join('='));
    if (values) values.push(value);
    else parameters.set(key, [value]);
  }
  return parameters;
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
