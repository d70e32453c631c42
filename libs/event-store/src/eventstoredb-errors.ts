import { ErrorType, isCommandError } from '@eventstore/db-client';
import { withTimeout } from '@settle/concurrency';

/** The call got no response in time; its effect on the server is unknown. */
export class ResponseTimeout extends Error {
  constructor() {
    super('the server did not respond in time');
    this.name = 'ResponseTimeout';
  }
}

/** The call waited too long for others and was not sent. */
export class NotSent extends Error {
  constructor() {
    super('the append was not sent in time');
    this.name = 'NotSent';
  }
}

/** Errors that a retry cannot fix. All others are retried: servers report temporary problems in many ways. */
const PERMANENT_ERRORS: ReadonlySet<string> = new Set([
  ErrorType.ACCESS_DENIED,
  ErrorType.INVALID_ARGUMENT,
  ErrorType.MAXIMUM_APPEND_SIZE_EXCEEDED,
  ErrorType.STREAM_DELETED,
  ErrorType.UNSUPPORTED,
]);

/** Messages of calls that were not sent, or that a node rejected because it is not ready. */
const NOT_READY = /Server Is Not Ready|No connection established|Failed to discover/;

/** Connection problems that the client library reports as an unavailable server, with reasons for the operator. */
const CONNECTION_PROBLEMS: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [/ECONNREFUSED/, 'the port is closed: no server listens at this address'],
  [/ENOTFOUND|EAI_AGAIN|Name resolution failed/, 'the host name cannot be resolved'],
  [
    /ServerName to an IP address/,
    'TLS needs a host name that the certificate has, not an IP address, in EVENTSTORE_URL',
  ],
  [/certificate|\bCERT_/i, "the server's certificate is not trusted: add its authority with NODE_EXTRA_CA_CERTS"],
];

function getErrorType(error: unknown): string | null {
  return error instanceof Error && isCommandError(error) ? error.type : null;
}

/** Returns whether the stream is at another revision. */
export function isConflict(error: unknown): boolean {
  return getErrorType(error) === ErrorType.WRONG_EXPECTED_VERSION;
}

export function isMissingStream(error: unknown): boolean {
  return getErrorType(error) === ErrorType.STREAM_NOT_FOUND;
}

export function isPermanent(error: unknown): boolean {
  const type = getErrorType(error);
  return type !== null && PERMANENT_ERRORS.has(type);
}

/** Returns whether the server failed this call only and the connection is still usable. */
export function isServerResponse(error: unknown): boolean {
  const type = getErrorType(error);
  return type === ErrorType.UNKNOWN || type === ErrorType.DEADLINE_EXCEEDED || type === ErrorType.TIMEOUT;
}

/**
 * Returns whether an append with this error may be stored, now or later. Before its first append, the client library
 * discovers the server and its capabilities; errors of that phase are not command errors.
 */
export function mayBeStored(error: unknown): boolean {
  if (error instanceof ResponseTimeout) return true;
  if (error instanceof NotSent || getErrorType(error) === null) return false;
  return !isPermanent(error) && !NOT_READY.test((error as Error).message);
}

/** Returns why the store failed, without addresses and values. */
export function describeError(error: unknown): string {
  if (error instanceof ResponseTimeout || error instanceof NotSent) return error.message;
  const problem = CONNECTION_PROBLEMS.find(([pattern]) => pattern.test((error as Error).message));
  if (problem !== undefined) return problem[1];
  const type = getErrorType(error);
  if (type === null) return 'the server cannot be reached';
  if (NOT_READY.test((error as Error).message)) return 'the server is not ready';
  return `the server returned ${type}`;
}

/** Waits for a call. Errors: those of the call; `ResponseTimeout` after `timeoutMs`. */
export function awaitResponse<Response>(call: Promise<Response>, timeoutMs: number): Promise<Response> {
  return withTimeout(call, timeoutMs, () => new ResponseTimeout());
}
