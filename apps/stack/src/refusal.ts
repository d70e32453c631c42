import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { LIMITS } from '@settle/config';
import { SettleError } from '@settle/contracts';

/** Asked again they do no harm. */
const READING_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

export const NO_INSTANCE_AVAILABLE = new SettleError(
  'service_unavailable',
  'No instance is available at the moment. Try again shortly.',
);
export const NO_REQUEST = new SettleError(
  'invalid_request',
  'This is not an HTTP request that can be passed on: send Host once, and no Content-Length but that of the body.',
);
const READ_AGAIN = new SettleError('service_unavailable', 'The answer was lost. Try again shortly.');
const OUTCOME_UNKNOWN = new SettleError(
  'outcome_unknown',
  'The request was sent and its answer was lost. Look whether it took effect before sending it again.',
);

/** Returns the error for a request whose instance went away after it had begun. */
export function refusalOfLost(method: string): SettleError {
  return READING_METHODS.has(method) ? READ_AGAIN : OUTCOME_UNKNOWN;
}

/** Answers with an error of the catalogue, in the form in which the gateway does. */
export function refuse(response: ServerResponse, refusal: SettleError): void {
  const body = bodyOf(refusal);
  response.writeHead(refusal.status, headersOf(refusal, body));
  response.end(body);
}

function bodyOf({ message, code }: SettleError): string {
  return JSON.stringify({ error: { message, code } });
}

function headersOf({ status }: SettleError, body: string): Record<string, string | number> {
  return {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store, private',
    'x-content-type-options': 'nosniff',
    'x-request-id': randomUUID(),
    ...(status === 503 ? { 'retry-after': LIMITS.gateway.retryAfterSeconds } : {}),
  };
}
