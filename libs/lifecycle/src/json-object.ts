import { LIMITS } from '@settle/config';
import { isLosslessNumber, parse } from 'lossless-json';
import { calledInMessages, invalidRequest, tooManyParameters } from './parameter-errors.js';

const { jsonDepthLevels, parametersCount } = LIMITS.gateway;

/**
 * Reads a JSON object, strictly: every key once, no NUL, bounded depth. Numbers keep their source text, as `LosslessNumber`.
 * Error: `invalid_request`.
 */
export function parseJsonObject(text: string): Readonly<Record<string, unknown>> {
  const { depth, keys } = measure(text);
  if (depth > jsonDepthLevels)
    throw invalidRequest(`The JSON body is nested deeper than ${jsonDepthLevels}: flatten it.`);
  if (keys > parametersCount) throw tooManyParameters();
  const value = parseJson(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value) || isLosslessNumber(value)) {
    throw invalidRequest('The JSON body must be an object, such as {"action": "approve"}.');
  }
  if (keysIn(value) < keys) {
    throw invalidRequest(
      `${calledInMessages(doubledKey(text))} stands twice in one object of the JSON body: send it once.`,
    );
  }
  return value as Readonly<Record<string, unknown>>;
}

function parseJson(text: string): unknown {
  try {
    // The parser itself would let a doubled key pass whose two values are equal: they are counted afterwards.
    return parse(text, undefined, { onDuplicateKey: ({ oldValue }) => oldValue });
  } catch {
    throw invalidRequest('The body is not JSON: check quotes, commas and brackets.');
  }
}

/** How many keys the objects of a parsed value hold. Errors: `invalid_request` for a NUL, in a key or a text. */
function keysIn(value: unknown, name = ''): number {
  if (typeof value === 'string' && value.includes('\0')) {
    throw invalidRequest(`${calledInMessages(name)} holds a NUL character: remove it.`);
  }
  if (typeof value !== 'object' || value === null || isLosslessNumber(value)) return 0;
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + keysIn(item, name), 0);
  return Object.entries(value).reduce((sum, [key, item]) => sum + 1 + keysIn(key) + keysIn(item, key), 0);
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

const STRINGS_AND_MARKS = /"(?:[^"\\]|\\.)*"|[{}:]/g;

/** The first key that an object of this JSON text has twice. */
function doubledKey(text: string): string {
  const objects: Set<string>[] = [];
  let last = '""';
  for (const [part] of text.matchAll(STRINGS_AND_MARKS)) {
    if (part === '{') objects.push(new Set());
    else if (part === '}') objects.pop();
    else if (part === ':') {
      const key = JSON.parse(last) as string;
      if (objects.at(-1)?.has(key)) return key;
      objects.at(-1)?.add(key);
    } else last = part;
  }
  return '';
}
