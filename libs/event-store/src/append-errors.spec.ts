import pg from 'pg';
import { isOutcomeUnknown } from './append-errors.js';

function serverError(severity: string, code: string): pg.DatabaseError {
  return Object.assign(new pg.DatabaseError('refused', 0, 'error'), { severity, code });
}

describe('leavesOutcomeOpen', () => {
  it('given an error with which the server undoes a statement, when it is judged, then nothing is stored', () => {
    for (const code of ['23505', '55P03', '57014', '53100', '58030', 'XX000']) {
      expect(isOutcomeUnknown(serverError('ERROR', code))).toBe(false);
    }
  });

  it('given a disk that fails while the server commits, when it is judged, then the outcome is open', () => {
    for (const code of ['53100', '58030', 'XX000']) expect(isOutcomeUnknown(serverError('PANIC', code))).toBe(true);
    expect(isOutcomeUnknown(serverError('PANIK', '58030'))).toBe(true);
  });

  it('given a connection that the server ends or that breaks, when it is judged, then the outcome is open', () => {
    expect(isOutcomeUnknown(serverError('FATAL', '57P01'))).toBe(true);
    expect(isOutcomeUnknown(new Error('Connection terminated unexpectedly'))).toBe(true);
  });
});
