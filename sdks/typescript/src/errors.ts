import type { ErrorCode } from './types.js';

/** The code of an error whose response was not written by Settle but by a proxy, for example. */
export const UNEXPECTED_RESPONSE = 'unexpected_response';

export interface SettleErrorFields {
  /** A code of the catalogue; later versions of the product may add some. */
  readonly code: ErrorCode | typeof UNEXPECTED_RESPONSE | (string & {});
  readonly status: number;
  /** Identifies the request in the logs of the product. */
  readonly requestId: string | null;
  /** How long to wait before the next attempt, or null if the response does not say it. */
  readonly retryAfterMs: number | null;
}

/** The API rejected the request: a rejected payment or change of a payment did not take effect. */
export class SettleError extends Error implements SettleErrorFields {
  override readonly name = 'SettleError';
  readonly code: SettleErrorFields['code'];
  readonly status: number;
  readonly requestId: string | null;
  readonly retryAfterMs: number | null;

  /** @param message for humans: what is wrong and what to do */
  constructor(message: string, { code, status, requestId, retryAfterMs }: SettleErrorFields) {
    super(message);
    this.code = code;
    this.status = status;
    this.requestId = requestId;
    this.retryAfterMs = retryAfterMs;
  }
}

/**
 * A payment, or a change of one, may or may not have taken effect: no attempt returned its result in time. Repeat the call
 * with `idempotencyKey` within 24 hours: it then takes effect exactly once. `cause` is the error of the last attempt.
 */
export class OutcomeUnknownError extends Error {
  override readonly name = 'OutcomeUnknownError';
  readonly code = 'outcome_unknown';
  /** Identifies the last request that got a response in the logs of the product. */
  readonly requestId: string | null;

  constructor(
    readonly idempotencyKey: string,
    cause: unknown,
  ) {
    super(`The outcome is unknown. Repeat the call with the idempotency key ${idempotencyKey}.`, { cause });
    this.requestId = cause instanceof SettleError ? cause.requestId : null;
  }
}

/** No response arrived in time. Nothing was changed by it. `cause` is the error of `fetch`, if there is one. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
  readonly code = 'no_response';
}

/** Codes of Node for connections that were never established. */
const NEVER_CONNECTED = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT']);

/** Whether the request that failed with this error may have taken effect. */
export function mayHaveTakenEffect(error: unknown): boolean {
  if (error instanceof ConnectionError) return !NEVER_CONNECTED.has(connectionCode(error));
  if (!(error instanceof SettleError)) return false;
  const { status, code } = error;
  return status >= 500 && !(status === 503 && code !== UNEXPECTED_RESPONSE);
}

/** Returns Node's code of a failed connection. Browsers do not say why a connection failed. */
function connectionCode({ cause }: ConnectionError): string {
  const { cause: reason } = (cause ?? {}) as { cause?: { code?: unknown } };
  return String(reason?.code);
}
