import pg from 'pg';
import { QueryFailedError } from 'typeorm';
import { readOrThrowUnavailable } from './database-failures.js';
import { isServerUnavailable } from './server-unavailable.js';

const serverError = (code: string) => Object.assign(new pg.DatabaseError('no', 0, 'error'), { code });
const wrapForTypeOrm = (error: Error) => new QueryFailedError('select', [], error);

describe('isServerUnavailable', () => {
  it('given errors of pg, TypeORM and the network, when they are checked, then the server is unavailable', () => {
    const errors = [
      serverError('57P01'),
      serverError('57P03'),
      serverError('28P01'),
      serverError('53100'),
      serverError('XX000'),
      serverError('58030'),
      serverError('25006'),
      wrapForTypeOrm(serverError('53300')),
      wrapForTypeOrm(new Error('Connection terminated unexpectedly')),
      Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }),
      new Error('timeout exceeded when trying to connect'),
      new Error('Query read timeout'),
    ];
    expect(errors.filter((error) => !isServerUnavailable(error))).toEqual([]);
  });

  it('given work that fails with a bug, when its result is read, then it rejects with the same error', async () => {
    const bugs = [
      new TypeError('undefined is no function'),
      serverError('42601'),
      wrapForTypeOrm(serverError('22021')),
    ];
    for (const bug of bugs) await expect(readOrThrowUnavailable(Promise.reject(bug))).rejects.toBe(bug);
  });
});
