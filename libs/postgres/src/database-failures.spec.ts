import { LIMITS } from '@settle/config';
import pg from 'pg';
import { QueryFailedError } from 'typeorm';
import { DatabaseFailures } from './database-failures.js';

const FULL_DISK = 'could not extend file "base/5/1259": No space left on device';

function diskFull(): pg.DatabaseError {
  return Object.assign(new pg.DatabaseError(FULL_DISK, 0, 'error'), { code: '53100' });
}

describe('DatabaseFailures', () => {
  let nowMs: number;
  let lines: object[];
  let failures: DatabaseFailures;

  beforeEach(() => {
    nowMs = 1_000_000;
    lines = [];
    failures = new DatabaseFailures(() => nowMs);
    failures.setLogger({ error: (line: object) => lines.push(line) } as never);
  });

  it('given a full disk, when many requests fail, then its reason is logged once every few seconds', () => {
    for (let count = 0; count < 1_000; count += 1) failures.record(new QueryFailedError('insert', [], diskFull()));
    expect(lines).toEqual([{ reason: FULL_DISK, code: '53100' }]);
    nowMs += LIMITS.postgres.failureLoggedEveryMs;
    failures.record(diskFull());
    expect(lines).toHaveLength(2);
  });

  it('given a failure, when a few seconds pass without another, then it is no longer recent', () => {
    expect(failures.isRecent).toBe(false);
    failures.record(diskFull());
    expect(failures.isRecent).toBe(true);
    nowMs += LIMITS.postgres.failureShownMs;
    expect(failures.isRecent).toBe(false);
  });

  it('given an error that is a bug, when it is recorded, then it is neither logged nor counted as a failure', () => {
    failures.record(new TypeError('undefined is no function'));
    expect([failures.isRecent, lines]).toEqual([false, []]);
  });
});
