import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** One system call for each would be a third of the cost of a short note. */
const NONCES_AT_ONCE = 256;

let nonces = Buffer.alloc(0);
let usedBytes = 0;

function nextNonce(): Buffer {
  if (usedBytes === nonces.length) [nonces, usedBytes] = [randomBytes(NONCE_BYTES * NONCES_AT_ONCE), 0];
  return nonces.subarray(usedBytes, (usedBytes += NONCE_BYTES));
}

/**
 * Encrypts by AES-256-GCM with a fresh nonce. Returns nonce, encrypted bytes and tag, one after another.
 * @param key 32 bytes
 * @param purpose authenticated with the bytes: they can be opened for the same purpose alone
 */
export function seal(bytes: Buffer, key: Buffer, purpose: Buffer): Buffer {
  const nonce = nextNonce();
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(purpose);
  return Buffer.concat([nonce, cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
}

/** Decrypts what `seal` has encrypted. Error: another key or purpose, or damaged bytes. */
export function unseal(sealed: Buffer, key: Buffer, purpose: Buffer): Buffer {
  if (sealed.length < NONCE_BYTES + TAG_BYTES) throw new Error('The encrypted bytes are cut off');
  const nonce = sealed.subarray(0, NONCE_BYTES);
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(purpose).setAuthTag(sealed.subarray(-TAG_BYTES));
  return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
}
