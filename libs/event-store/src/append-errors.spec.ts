import pg from 'pg';
import { isOutcomeUnknown } from './append-errors.js';

function serverError(severity: string, code: string): pg.DatabaseError {
  return Object.assign(new pg.DatabaseError('refused', 0, 'error'), { severity, code });
}

describe('isOutcomeUnknown', () => {
  it('given an error that rolls back the statement, when it is checked, then the outcome is known', () => {
    for (const code of ['23505', '55P03', '57014', '53100', '58030', 'XX000']) {
      expect(isOutcomeUnknown(serverError('ERROR', code))).toBe(false);
    }
  });

  it('given a disk error during a commit, when it is checked, then the outcome is unknown', () => {
    for (const code of ['53100', '58030', 'XX000']) expect(isOutcomeUnknown(serverError('PANIC', code))).toBe(true);
    expect(isOutcomeUnknown(serverError('PANIK', '58030'))).toBe(true);
  });

  it('given a connection that breaks or that the server closes, when the error is checked, then the outcome is unknown', () => {
    expect(isOutcomeUnknown(serverError('FATAL', '57P01'))).toBe(true);
    expect(isOutcomeUnknown(new Error('Connection terminated unexpectedly'))).toBe(true);
  });
});
