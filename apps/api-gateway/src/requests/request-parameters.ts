import { SettleError } from '@settle/contracts';

/** What a caller sent by name: text from a query or form, any JSON value (numbers as `LosslessNumber`) from JSON. */
export type RequestParameters = Readonly<Record<string, unknown>>;

export const NO_PARAMETERS: RequestParameters = Object.freeze({});

/** Query and body as one. A name may stand in one of them only: which of two values counts would be a guess. */
export function joinParameters(query: RequestParameters, body: RequestParameters): RequestParameters {
  if (query === NO_PARAMETERS) return body;
  if (body === NO_PARAMETERS) return query;
  for (const name in query) {
    if (Object.hasOwn(body, name)) {
      throw new SettleError('invalid_request', 'A parameter stands both in the query and in the body: send it once.');
    }
  }
  return { ...query, ...body };
}

/** The parameters of a URL's query, read strictly. Errors: `invalid_request`. */
export function queryParameters(url: string): RequestParameters {
  const mark = url.indexOf('?');
  return mark === -1 ? NO_PARAMETERS : parseForm(url.slice(mark + 1));
}

/** Reads `application/x-www-form-urlencoded` text: each name once, every escape whole. Errors: `invalid_request`. */
export function parseForm(text: string): RequestParameters {
  if (text === '') return NO_PARAMETERS;
  const fields: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decode(equals === -1 ? pair : pair.slice(0, equals));
    if (name in fields) throw new SettleError('invalid_request', 'A parameter is repeated: send each one once.');
    fields[name] = equals === -1 ? '' : decode(pair.slice(equals + 1));
  }
  return fields;
}

function decode(text: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  const plain = spaced.includes('%') ? decodeEscapes(spaced) : spaced;
  if (plain.includes('\0')) throw new SettleError('invalid_request', 'A parameter holds a NUL character: remove it.');
  return plain;
}

function decodeEscapes(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new SettleError(
      'invalid_request',
      'A percent escape is broken or is not UTF-8: encode the parameters again.',
    );
  }
}
