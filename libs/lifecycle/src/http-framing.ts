import type { IncomingMessage } from 'node:http';
import { SettleError } from '@settle/contracts';

/** Node's HTTP parser of a connection, as far as used here; Node does not declare it. */
interface ParsedSocket {
  readonly parser?: { readonly getCurrentBuffer?: () => Buffer } | null;
}

const NOT_HTTP_1 = new SettleError('invalid_request', 'Send the request as HTTP/1.1.');
const ENCODED = new SettleError(
  'unsupported_media_type',
  'Send the body as it is: the only transfer encoding is chunked.',
);

/**
 * Returns the error for a request in another protocol that Node's parser accepts; null for HTTP/1.0 and HTTP/1.1. Call
 * it while the `request` event is emitted: `RTSP/1.0` differs from `HTTP/1.0` only in the raw bytes.
 */
export function findProtocolError(request: IncomingMessage): SettleError | null {
  if (request.httpVersionMajor !== 1) return NOT_HTTP_1;
  return request.httpVersionMinor === 0 && isRtsp(request) ? NOT_HTTP_1 : null;
}

function isRtsp({ method = '', url = '', socket }: IncomingMessage): boolean {
  const bytes = (socket as ParsedSocket).parser?.getCurrentBuffer?.();
  return bytes?.includes(`${method} ${url} RTSP/`, 0, 'latin1') ?? false;
}

/** Returns the error for a body in an unsupported transfer encoding; null for all other requests. */
export function findTransferEncodingError({ headers }: Pick<IncomingMessage, 'headers'>): SettleError | null {
  const encoding = headers['transfer-encoding'];
  return encoding === undefined || encoding.toLowerCase() === 'chunked' ? null : ENCODED;
}
