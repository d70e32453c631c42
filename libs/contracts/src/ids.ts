import { hash, randomBytes } from 'node:crypto';

/** Ids count milliseconds from here: 2010-01-01T00:00:00Z. */
const ID_EPOCH_MS = 1_262_304_000_000;
const RANDOM_BITS = 22n;
const RANDOM_MASK = (1n << RANDOM_BITS) - 1n;
const MAX_ID = (1n << 63n) - 1n;
const ID_PATTERN = /^[1-9][0-9]{17,18}$/;

function compose(atMs: number, low: bigint): string {
  return ((BigInt(atMs - ID_EPOCH_MS) << RANDOM_BITS) | (low & RANDOM_MASK)).toString();
}

/** An id whose low 22 bits cannot be guessed. @param atMs milliseconds since 1970 */
export function randomId(atMs: number): string {
  return compose(atMs, BigInt(randomBytes(4).readUInt32BE()));
}

/**
 * The id of a payment. Its low bits are a hash of the command and of the number of the draw, so that a command that is
 * delivered twice draws the same id, and one that met another payment under it draws the next.
 * @param atMs milliseconds since 1970 at which the command was made
 */
export function derivePaymentId(atMs: number, commandId: string, draw = 0): string {
  const digest = hash('sha256', `${commandId}:${draw}`);
  return compose(atMs, BigInt(Number.parseInt(digest.slice(0, 8), 16)));
}

/** Milliseconds since 1970 at which an id was drawn. */
export function idTimeMs(id: string): number {
  return Number(BigInt(id) >> RANDOM_BITS) + ID_EPOCH_MS;
}

/** Whether `text` has the form of an id: 18 or 19 digits, below 2^63. */
export function isId(text: string): boolean {
  return ID_PATTERN.test(text) && BigInt(text) <= MAX_ID;
}

/** Orders ids as numbers: negative, zero or positive. */
export function compareIds(left: string, right: string): number {
  return left.length - right.length || (left < right ? -1 : left > right ? 1 : 0);
}
