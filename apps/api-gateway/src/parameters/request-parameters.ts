import { LIMITS } from '@settle/config';
import { calledInMessages, invalidRequest, tooManyParameters } from '@settle/lifecycle';

/** Parameters by name: text from a query or form, any JSON value (numbers as `LosslessNumber`) from JSON. */
export type RequestParameters = Readonly<Record<string, unknown>>;

export const NO_PARAMETERS: RequestParameters = Object.freeze({});

const NOT_FOR_URLS = /[^\x21-\x7e]|#/;
/** `parseForm` refuses one in the query, by the name of its parameter. */
const NUL_IN_PATH = /^[^?]*%00/;

/** Joins query and body. A name may be in one of them only: choosing one of two values would be a guess. */
export function joinParameters(query: RequestParameters, body: RequestParameters): RequestParameters {
  if (query === NO_PARAMETERS) return body;
  if (body === NO_PARAMETERS) return query;
  for (const name in query) {
    if (Object.hasOwn(body, name)) {
      throw invalidRequest(`${calledInMessages(name)} stands both in the query and in the body: send it once.`);
    }
  }
  return { ...query, ...body };
}

/** Parses the query of a URL, strictly. Errors: `invalid_request`. */
export function queryParameters(url: string): RequestParameters {
  if (NOT_FOR_URLS.test(url)) {
    throw invalidRequest('The URL holds characters that may not stand there: percent-encode them as UTF-8.');
  }
  if (NUL_IN_PATH.test(url)) throw invalidRequest('The path holds a NUL character: remove it.');
  const mark = url.indexOf('?');
  return mark === -1 ? NO_PARAMETERS : parseForm(url.slice(mark + 1));
}

/**
 * Parses `application/x-www-form-urlencoded` text: each name once, every escape complete. Errors: `invalid_request`.
 */
export function parseForm(text: string): RequestParameters {
  if (text === '') return NO_PARAMETERS;
  const fields = noFields();
  let count = 0;
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    if (++count > LIMITS.gateway.parametersCount) throw tooManyParameters();
    const equals = pair.indexOf('=');
    const name = decode(equals === -1 ? pair : pair.slice(0, equals), '');
    addField(fields, name, equals === -1 ? '' : decode(pair.slice(equals + 1), name));
  }
  return fields;
}

/** Returns the fields of a multipart form: each name once. Errors: `invalid_request`. */
export function parametersOfParts(parts: readonly (readonly [name: string, text: string])[]): RequestParameters {
  const fields = noFields();
  for (const [name, text] of parts) addField(fields, withoutNul(name, ''), withoutNul(text, name));
  return fields;
}

function noFields(): Record<string, unknown> {
  return Object.create(null) as Record<string, unknown>;
}

function addField(fields: Record<string, unknown>, name: string, text: string): void {
  if (name in fields) throw invalidRequest(`${calledInMessages(name)} is repeated: send it once.`);
  fields[name] = text;
}

/** @param name of the parameter; empty if the text is a name itself */
function decode(text: string, name: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  return withoutNul(spaced.includes('%') ? decodeEscapes(spaced, name) : spaced, name);
}

function withoutNul(text: string, name: string): string {
  if (text.includes('\0')) throw invalidRequest(`${calledInMessages(name)} holds a NUL character: remove it.`);
  return text;
}

function decodeEscapes(text: string, name: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalidRequest(
      `${calledInMessages(name)} holds a percent escape that is broken or not UTF-8: encode it again.`,
    );
  }
}
