import { LIMITS } from '@settle/config';
import { SettleError } from '@settle/contracts';
import { isLosslessNumber, parse } from 'lossless-json';
import type { RequestParameters } from './request-parameters.js';

const DUPLICATE_KEY = 'A key of the JSON body stands twice in one object: send each one once.';

/** Reads a JSON object; its numbers keep their source text. Errors: `invalid_request`. */
export function parseJsonObject(text: string): RequestParameters {
  if (depthOf(text) > LIMITS.gateway.jsonDepthLevels) {
    throw new SettleError(
      'invalid_request',
      `The JSON body is nested deeper than ${LIMITS.gateway.jsonDepthLevels}: flatten it.`,
    );
  }
  const value = parseJson(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value) || isLosslessNumber(value)) {
    throw new SettleError('invalid_request', 'The JSON body must be an object, such as {"action": "approve"}.');
  }
  return value as RequestParameters;
}

function parseJson(text: string): unknown {
  try {
    return parse(text, undefined, { onDuplicateKey: refuseDuplicateKey });
  } catch (error) {
    if (error instanceof SettleError) throw error;
    throw new SettleError('invalid_request', 'The body is not JSON: check quotes, commas and brackets.');
  }
}

function refuseDuplicateKey(): never {
  throw new SettleError('invalid_request', DUPLICATE_KEY);
}

/** How deep objects and arrays are nested. Counted before parsing, since the parser recurses. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let index = 0; index < text.length; index++) {
    const char = text.charCodeAt(index);
    if (char === 0x22) inString = !inString;
    else if (inString) index += char === 0x5c ? 1 : 0;
    else if (char === 0x7b || char === 0x5b) deepest = Math.max(deepest, ++depth);
    else if (char === 0x7d || char === 0x5d) depth--;
  }
  return deepest;
}
