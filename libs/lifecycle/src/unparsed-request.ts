import { randomUUID } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { LIMITS } from '@settle/config';
import { SettleError } from '@settle/contracts';

/** Errors of Node's HTTP parser with their own status; all others are 400. */
const HEADERS_TOO_LARGE = 'HPE_HEADER_OVERFLOW';
const TOO_LATE = 'ERR_HTTP_REQUEST_TIMEOUT';

/**
 * Returns the error for bytes that Node's HTTP parser refuses; null if the connection closes without a response,
 * because the request came too slowly.
 */
export function buildUnparsedRefusal({ code }: NodeJS.ErrnoException): SettleError | null {
  if (code === TOO_LATE) return null;
  return code === HEADERS_TOO_LARGE
    ? new SettleError('headers_too_large', 'The headers are too large: send at most 16 KiB.')
    : new SettleError('invalid_request', 'This is not an HTTP request that can be read.');
}

/**
 * Closes a connection with an error of the catalogue as the response, or with none.
 * Closing a connection with unread bytes resets it, and the last response may be lost: it is read for a moment longer.
 */
export function closeWithResponse(socket: Duplex, refusal: SettleError | null): void {
  socket.end(refusal === null ? '' : serializeResponse(refusal));
  const timer = setTimeout(() => socket.destroy(), LIMITS.gateway.lingerMs);
  socket.once('close', () => clearTimeout(timer));
}

/** Returns a complete HTTP response for an error of the catalogue, for a socket without a request to answer. */
function serializeResponse({ status, code, message, details }: SettleError): string {
  const body = JSON.stringify({ error: { message, code } });
  const head = [
    `HTTP/1.1 ${status} ${code}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'cache-control: no-store, private',
    'x-content-type-options: nosniff',
    `x-request-id: ${randomUUID()}`,
    ...(status === 503 ? [`retry-after: ${LIMITS.gateway.retryAfterSeconds}`] : []),
    ...(details['allow'] === undefined ? [] : [`allow: ${String(details['allow'])}`]),
    'connection: close',
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}
