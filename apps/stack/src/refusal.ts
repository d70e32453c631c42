import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { LIMITS } from '@settle/config';
import { SettleError } from '@settle/contracts';

const HEADERS_TOO_LARGE = 'HPE_HEADER_OVERFLOW';
const TOO_LATE = 'ERR_HTTP_REQUEST_TIMEOUT';
/** Asked again they do no harm. */
const READING_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

export const NOBODY_THERE = new SettleError(
  'service_unavailable',
  'Nobody can answer for a moment. Try again shortly.',
);
const READ_AGAIN = new SettleError('service_unavailable', 'The answer was lost. Try again shortly.');
const OUTCOME_UNKNOWN = new SettleError(
  'outcome_unknown',
  'The request was sent and its answer was lost. Look whether it took effect before sending it again.',
);

/** What a caller is told whose request had begun when the instance went away. */
export function refusalOfLost(method: string): SettleError {
  return READING_METHODS.has(method) ? READ_AGAIN : OUTCOME_UNKNOWN;
}

/** Answers with an error of the catalogue, in the form in which the gateway does. */
export function refuse(response: ServerResponse, refusal: SettleError): void {
  const body = bodyOf(refusal);
  response.writeHead(refusal.status, headersOf(refusal, body));
  response.end(body);
}

/** Answers bytes that are no HTTP request: there is only a socket to answer on, and then to close. */
export function refuseUnparsed(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET' || error.code === TOO_LATE) {
    socket.destroy();
    return;
  }
  const refusal =
    error.code === HEADERS_TOO_LARGE
      ? new SettleError('headers_too_large', 'The headers are too large: send at most 16 KiB.')
      : new SettleError('invalid_request', 'This is not an HTTP request that can be read.');
  const body = bodyOf(refusal);
  const head = Object.entries({ ...headersOf(refusal, body), connection: 'close' });
  const lines = [`HTTP/1.1 ${refusal.status} ${refusal.code}`, ...head.map(([name, value]) => `${name}: ${value}`)];
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`);
}

function bodyOf({ message, code }: SettleError): string {
  return JSON.stringify({ error: { message, code } });
}

function headersOf({ status }: SettleError, body: string): Record<string, string | number> {
  return {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store, private',
    'x-request-id': randomUUID(),
    ...(status === 503 ? { 'retry-after': LIMITS.gateway.retryAfterSeconds } : {}),
  };
}
