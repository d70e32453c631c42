import pg from 'pg';

/** Lost connections, server shutdown, and disk and internal errors, which can occur during the commit. */
const UNKNOWN_OUTCOME_CODES = /^(08|57P|58|XX)/;
const SESSION_ENDING_SEVERITIES = new Set(['FATAL', 'PANIC']);

/**
 * Returns whether the outcome of a statement is unknown after an error: the connection broke or the server closes it. An
 * ERROR has a known outcome, whatever its code: the server has rolled back the statement, and a failure after the commit
 * record is a PANIC (PostgreSQL, `RecordTransactionAbort`). If the server translates severities, only the code counts.
 */
export function isOutcomeUnknown(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError)) return true;
  const { severity = '', code = '' } = error;
  if (severity === 'ERROR') return false;
  return SESSION_ENDING_SEVERITIES.has(severity) || UNKNOWN_OUTCOME_CODES.test(code);
}

const hasCode = (code: string) => (error: unknown) => error instanceof pg.DatabaseError && error.code === code;

export const isUniqueViolation = hasCode('23505');
export const isLockTimeout = hasCode('55P03');
/** Whether an append arrived after its deadline, by the clock of the server; nothing of it is stored. */
export const isPastDeadline = hasCode('22012');

/** Returns why the store failed, without addresses, statements or values. */
export function describeError(error: unknown): string {
  if (isPastDeadline(error)) return 'the append missed its deadline';
  if (error instanceof pg.DatabaseError) return `the database returned ${error.code ?? 'an error'}`;
  return 'the database does not respond';
}
