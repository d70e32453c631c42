import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import { SettleError } from '@settle/contracts';
import { invalidRequest } from './parameter-errors.js';

const FOREIGN_CHARSET = /;\s*charset\s*=\s*(?!"?utf-?8"?\s*(?:;|$))/i;

/**
 * Refuses a compressed body and one in another charset, which would be read as something else than was sent.
 * Error: `unsupported_media_type`.
 */
export function refuseEncodedBody(headers: IncomingHttpHeaders): void {
  if ((headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity') {
    throw new SettleError('unsupported_media_type', 'Send the body as it is, not compressed.');
  }
  if (FOREIGN_CHARSET.test(headers['content-type'] ?? '')) {
    throw new SettleError('unsupported_media_type', 'Send the body in UTF-8, and say so or nothing in Content-Type.');
  }
}

/** Refuses bytes that are no text. Error: `invalid_request`. */
export function refuseUnlessUtf8(body: Buffer): void {
  if (!isUtf8(body)) throw invalidRequest('The body is not UTF-8: encode it again.');
}

/** Returns the text of a body in UTF-8. Error: `invalid_request`. */
export function decodeBody(body: Buffer): string {
  refuseUnlessUtf8(body);
  return body.toString();
}
