import pg from 'pg';
import { QueryFailedError } from 'typeorm';
import { readOrUnavailable } from './read-or-unavailable.js';
import { isServerAway } from './server-away.js';

const serverError = (code: string) => Object.assign(new pg.DatabaseError('no', 0, 'error'), { code });
const ofTypeOrm = (error: Error) => new QueryFailedError('select', [], error);

describe('a server that is away', () => {
  it('given what pg, TypeORM and the network say, when it is judged, then it is away', () => {
    const errors = [
      serverError('57P01'),
      serverError('57P03'),
      serverError('28P01'),
      serverError('53100'),
      serverError('XX000'),
      serverError('58030'),
      serverError('25006'),
      ofTypeOrm(serverError('53300')),
      ofTypeOrm(new Error('Connection terminated unexpectedly')),
      Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }),
      new Error('timeout exceeded when trying to connect'),
      new Error('Query read timeout'),
    ];
    expect(errors.filter((error) => !isServerAway(error))).toEqual([]);
  });

  it('given a bug, when work meets it, then it stays one', async () => {
    const bugs = [new TypeError('undefined is no function'), serverError('42601'), ofTypeOrm(serverError('22021'))];
    for (const bug of bugs) await expect(readOrUnavailable(Promise.reject(bug))).rejects.toBe(bug);
  });
});
