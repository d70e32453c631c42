import { LIMITS } from '@settle/config';
import { SettleError } from '@settle/contracts';
import { isLosslessNumber, parse } from 'lossless-json';
import type { RequestParameters } from './request-parameters.js';

/** Reads a JSON object; its numbers keep their source text. Errors: `invalid_request`. */
export function parseJsonObject(text: string): RequestParameters {
  const { depth, keys } = measure(text);
  if (depth > LIMITS.gateway.jsonDepthLevels) {
    throw new SettleError(
      'invalid_request',
      `The JSON body is nested deeper than ${LIMITS.gateway.jsonDepthLevels}: flatten it.`,
    );
  }
  const value = parseJson(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value) || isLosslessNumber(value)) {
    throw new SettleError('invalid_request', 'The JSON body must be an object, such as {"action": "approve"}.');
  }
  if (keysIn(value) < keys) {
    throw new SettleError('invalid_request', 'A key of the JSON body stands twice in one object: send each one once.');
  }
  return value as RequestParameters;
}

function parseJson(text: string): unknown {
  try {
    // The parser itself would let a doubled key pass whose two values are equal: they are counted afterwards.
    return parse(text, undefined, { onDuplicateKey: ({ oldValue }) => oldValue });
  } catch {
    throw new SettleError('invalid_request', 'The body is not JSON: check quotes, commas and brackets.');
  }
}

/** How many keys the objects of a parsed value hold. Errors: `invalid_request` for a NUL, in a key or a text. */
function keysIn(value: unknown): number {
  if (typeof value === 'string' && value.includes('\0')) {
    throw new SettleError('invalid_request', 'The JSON body holds a NUL character: remove it.');
  }
  if (typeof value !== 'object' || value === null || isLosslessNumber(value)) return 0;
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + keysIn(item), 0);
  return Object.entries(value).reduce((sum, [key, item]) => sum + 1 + keysIn(key) + keysIn(item), 0);
}

/** How deep objects and arrays are nested, counted before parsing, since the parser recurses; and how many keys there are. */
function measure(text: string): { readonly depth: number; readonly keys: number } {
  let level = 0;
  let depth = 0;
  let keys = 0;
  let inString = false;
  for (let index = 0; index < text.length; index++) {
    const char = text.charCodeAt(index);
    if (char === 0x22) inString = !inString;
    else if (inString) index += char === 0x5c ? 1 : 0;
    else if (char === 0x3a) keys++;
    else if (char === 0x7b || char === 0x5b) depth = Math.max(depth, ++level);
    else if (char === 0x7d || char === 0x5d) level--;
  }
  return { depth, keys };
}
