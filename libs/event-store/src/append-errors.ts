import pg from 'pg';

/** Lost connections, a server that goes down, and failures of its disk or its own: the last can come at the commit. */
const UNKNOWN_OUTCOME_CODES = /^(08|57P|58|XX)/;
const SESSION_ENDING_SEVERITIES = new Set(['FATAL', 'PANIC']);

/**
 * Returns whether an error leaves open what the server did: the connection broke, or the server ends it. An ERROR never
 * does, whatever its code: the server has undone the statement, and a failure after the commit record is a PANIC
 * (PostgreSQL, `RecordTransactionAbort`). A server that translates severities is judged by the code alone.
 */
export function isOutcomeUnknown(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError)) return true;
  const { severity = '', code = '' } = error;
  if (severity === 'ERROR') return false;
  return SESSION_ENDING_SEVERITIES.has(severity) || UNKNOWN_OUTCOME_CODES.test(code);
}

export function isUniqueViolation(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '23505';
}

/** Whether another session held a lock for longer than this one may wait for it. */
export function isLockTimeout(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '55P03';
}

/** Whether an append came after its deadline, by the server's clock: nothing of it is stored. */
export function isPastDeadline(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '22012';
}

/** Why the store failed, in words that hold no address, statement or value. */
export function describeError(error: unknown): string {
  if (isPastDeadline(error)) return 'it came too late';
  if (error instanceof pg.DatabaseError) return `the database answered ${error.code ?? 'an error'}`;
  return 'the database does not answer';
}
