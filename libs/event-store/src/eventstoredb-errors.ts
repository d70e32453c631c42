import { ErrorType, isCommandError } from '@eventstore/db-client';

/** Our own timer ran out: the call was sent, and whatever it does on the server is not known. */
export class ResponseTimeout extends Error {
  constructor() {
    super('no answer in time');
    this.name = 'NoAnswer';
  }
}

/** The call had to wait so long for others that it was never sent. */
export class NotSent extends Error {
  constructor() {
    super('no place in time');
    this.name = 'NeverSent';
  }
}

/** What asking again cannot change. Everything else is worth another try: servers say "later" in many ways. */
const PERMANENT_ERRORS: ReadonlySet<string> = new Set([
  ErrorType.ACCESS_DENIED,
  ErrorType.INVALID_ARGUMENT,
  ErrorType.MAXIMUM_APPEND_SIZE_EXCEEDED,
  ErrorType.STREAM_DELETED,
  ErrorType.UNSUPPORTED,
]);

/** Said before a call has left, or by a node that takes no calls yet. */
const NOT_READY = /Server Is Not Ready|No connection established|Failed to discover/;

/** What the client library calls an unavailable server, by what an operator has to mend. */
const CONNECTION_PROBLEMS: readonly (readonly [said: RegExp, reason: string])[] = [
  [/ECONNREFUSED/, 'the port is closed: nothing listens at the address'],
  [/ENOTFOUND|EAI_AGAIN|Name resolution failed/, 'the host name of the address is not known'],
  [/certificate|\bCERT_/i, "the server's certificate is not trusted: NODE_EXTRA_CA_CERTS names further authorities"],
];

function getErrorType(error: unknown): string | null {
  return error instanceof Error && isCommandError(error) ? error.type : null;
}

/** Another event stands where this one should, or there is a gap before it. */
export function isConflict(error: unknown): boolean {
  return getErrorType(error) === ErrorType.WRONG_EXPECTED_VERSION;
}

export function isMissingStream(error: unknown): boolean {
  return getErrorType(error) === ErrorType.STREAM_NOT_FOUND;
}

export function isPermanentError(error: unknown): boolean {
  const type = getErrorType(error);
  return type !== null && PERMANENT_ERRORS.has(type);
}

/** The server answered this one call, and the connection serves others as before. */
export function isServerResponse(error: unknown): boolean {
  const type = getErrorType(error);
  return type === ErrorType.UNKNOWN || type === ErrorType.DEADLINE_EXCEEDED || type === ErrorType.TIMEOUT;
}

/**
 * Whether an append that ended so may be stored, now or later. The client looks for the server and for what it can do
 * before it sends the first append, and errors of those two are not of its own kind.
 */
export function mayBeStored(error: unknown): boolean {
  if (error instanceof ResponseTimeout) return true;
  if (error instanceof NotSent || getErrorType(error) === null) return false;
  return !isPermanentError(error) && !NOT_READY.test((error as Error).message);
}

/** Why the store failed, in words that hold no address and no value. */
export function describeError(error: unknown): string {
  if (error instanceof ResponseTimeout || error instanceof NotSent) return error.message;
  const obstacle = CONNECTION_PROBLEMS.find(([pattern]) => pattern.test((error as Error).message));
  if (obstacle !== undefined) return obstacle[1];
  const type = getErrorType(error);
  if (type === null) return 'the server cannot be reached';
  if (NOT_READY.test((error as Error).message)) return 'the server is not ready';
  return `the server answered ${type}`;
}

/** Waits for a call at most so long. Errors: what the call rejects with; `NoAnswer`. */
export async function withTimeout<T>(call: Promise<T>, timeoutMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new ResponseTimeout()), Math.max(timeoutMs, 0));
  });
  try {
    return await Promise.race([call, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
