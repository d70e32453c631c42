import { SettleError } from '@settle/contracts';

/** The parameters of a query as sent, each name with all its values. */
export type QueryParameters = ReadonlyMap<string, readonly string[]>;

/**
 * Reads a query strictly: what it decodes to is what was meant, or it is refused.
 * Error: `invalid_request` for a broken percent escape, broken UTF-8 or a NUL.
 */
export function readQuery(query: string): QueryParameters {
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

/** The part of a request's URL after the question mark, as sent. */
export function queryOf(url: string): string {
  const mark = url.indexOf('?');
  return mark < 0 ? '' : url.slice(mark + 1);
}

/** `uri`, byte for byte as it is, with parameters appended to its query. */
export function withParameters(uri: string, parameters: Readonly<Record<string, string>>): string {
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
    throw new SettleError('invalid_request', 'A parameter holds a broken percent escape.');
  }
  if (decoded.includes('\0')) throw new SettleError('invalid_request', 'A parameter holds a NUL character.');
  return decoded;
}
