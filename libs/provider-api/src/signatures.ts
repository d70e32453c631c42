import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** How far the time of a message may differ from now, in seconds. */
export const SIGNATURE_TOLERANCE_SECONDS = 300;

const SECRET_PATTERN = /^whsec_([A-Za-z0-9+/]{32,86}={0,2})$/;
const ID_PATTERN = /^[A-Za-z0-9_-]{1,100}$/;
const TIME_PATTERN = /^[0-9]{1,12}$/;
/** Signatures that are compared; a sender has one of each of its secrets. */
const MAX_SIGNATURES = 4;

export interface MessageHeaders {
  readonly 'webhook-id': string;
  readonly 'webhook-timestamp': string;
  readonly 'webhook-signature': string;
}

export interface SignedContent {
  /** Unique; the receiver uses it to recognize a message that arrives twice. */
  readonly id: string;
  readonly timestampSeconds: number;
  /** As it is sent, byte for byte; empty for a request without a body. */
  readonly body: string | Uint8Array;
}

/** Returns whether a text is a secret of the Standard Webhooks specification: `whsec_` and 24 to 64 bytes in base64. */
export function isMessageSecret(text: string): boolean {
  const size = keyOf(text)?.length ?? 0;
  return size >= 24 && size <= 64;
}

/** Returns a new secret of 32 random bytes. */
export function createMessageSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

/**
 * Returns the headers that sign a message (Standard Webhooks), with one signature per secret, so that the receiver may
 * know either while they are exchanged. Errors: `RangeError` if there is no secret or one is malformed.
 */
export function signMessage(content: SignedContent, secrets: readonly string[]): MessageHeaders {
  if (secrets.length === 0 || !secrets.every(isMessageSecret))
    throw new RangeError('A secret is missing or malformed.');
  const timestamp = String(content.timestampSeconds);
  const signatures = secrets.map(
    (secret) => `v1,${mac(secret, content.id, timestamp, content.body).toString('base64')}`,
  );
  return {
    'webhook-id': content.id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}

/**
 * Returns the id of a message, or null if no secret signed it, or if its time differs from now by more than five minutes.
 * @param headers lower-case names; a repeated or missing header is refused
 */
export function verifyMessage(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  body: string | Uint8Array,
  { secrets, nowSeconds }: { secrets: readonly string[]; nowSeconds: number },
): string | null {
  const [id, timestamp] = [headers['webhook-id'], headers['webhook-timestamp']];
  const signature = headers['webhook-signature'];
  if (typeof id !== 'string' || typeof timestamp !== 'string' || typeof signature !== 'string') return null;
  if (!ID_PATTERN.test(id) || !TIME_PATTERN.test(timestamp)) return null;
  if (Math.abs(nowSeconds - Number(timestamp)) > SIGNATURE_TOLERANCE_SECONDS) return null;
  const given = signature.split(' ', MAX_SIGNATURES).filter((part) => part.startsWith('v1,'));
  const candidates = given.map((part) => Buffer.from(part.slice(3), 'base64'));
  const isSigned = secrets.filter(isMessageSecret).some((secret) => {
    const expected = mac(secret, id, timestamp, body);
    return candidates.some((one) => one.length === expected.length && timingSafeEqual(one, expected));
  });
  return isSigned ? id : null;
}

function mac(secret: string, id: string, timestamp: string, body: string | Uint8Array): Buffer {
  const key = keyOf(secret) ?? Buffer.alloc(0);
  return createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest();
}

function keyOf(secret: string): Buffer | null {
  const encoded = SECRET_PATTERN.exec(secret)?.[1];
  return encoded === undefined ? null : Buffer.from(encoded, 'base64');
}
