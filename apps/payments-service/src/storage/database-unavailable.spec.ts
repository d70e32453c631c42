import { AppendOutcomeUnknown, StoreUnavailable } from '@settle/event-store';
import pg from 'pg';
import { isDatabaseUnavailable, orUnavailable, orUnknown } from './database-unavailable.js';

const serverError = (code: string) => Object.assign(new pg.DatabaseError('no', 0, 'error'), { code });

describe('a database that is away', () => {
  it('given what pg and the network say, when it is judged, then it is away', () => {
    const errors = [
      new StoreUnavailable('the database does not answer'),
      serverError('57P01'),
      serverError('53300'),
      serverError('28P01'),
      serverError('XX000'),
      serverError('25006'),
      Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }),
      new Error('Connection terminated unexpectedly'),
      new Error('timeout exceeded when trying to connect'),
      new Error('Query read timeout'),
    ];
    expect(errors.filter((error) => !isDatabaseUnavailable(error))).toEqual([]);
  });

  it('given a bug, when it is judged, then it stays one', async () => {
    const bugs = [new TypeError('undefined is no function'), serverError('42601'), new AppendOutcomeUnknown('x')];
    for (const bug of bugs) {
      await expect(orUnavailable(Promise.reject(bug))).rejects.toBe(bug);
      await expect(orUnknown('1', Promise.reject(bug))).rejects.toBe(bug);
    }
  });

  it('given work that began nothing or may have, when it meets it, then only the first may be sent again', async () => {
    const away = () => Promise.reject(new StoreUnavailable('away'));
    await expect(orUnavailable(away())).rejects.toMatchObject({ code: 'service_unavailable' });
    await expect(orUnknown('1', away())).rejects.toMatchObject({ code: 'outcome_unknown' });
  });
});
