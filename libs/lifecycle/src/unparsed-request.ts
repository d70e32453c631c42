import { randomUUID } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { SettleError } from '@settle/contracts';

/** What Node's HTTP parser gives up on before there is a request; all else is 400. */
const HEADERS_TOO_LARGE = 'HPE_HEADER_OVERFLOW';
const TOO_LATE = 'ERR_HTTP_REQUEST_TIMEOUT';

/**
 * For the `clientError` event of an HTTP server. The bytes are no HTTP request: there is only a socket to answer on,
 * with an error of the catalogue, and then to close.
 */
export function answerUnparsed(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET' || error.code === TOO_LATE) {
    socket.destroy();
    return;
  }
  const { status, code, message } =
    error.code === HEADERS_TOO_LARGE
      ? new SettleError('headers_too_large', 'The headers are too large: send at most 16 KiB.')
      : new SettleError('invalid_request', 'This is not an HTTP request that can be read.');
  const body = JSON.stringify({ error: { message, code } });
  const head = [
    `HTTP/1.1 ${status} ${code}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'cache-control: no-store, private',
    `x-request-id: ${randomUUID()}`,
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
