import { createLogger } from '@settle/observability';
import { createPool, openDataSource } from '@settle/postgres';
import { eventually, freshDatabase, type FreshDatabase } from '@settle/testing';
import type { Pool } from 'pg';
import { DueAnnouncement, noteLostRecords } from './due-announcement.js';
import { createUsersDataSource } from './start-users-service.js';

const logger = createLogger({ level: 'silent', service: 'spec' });

describe('the announcement that is due', () => {
  let database: FreshDatabase;
  let pool: Pool;
  let running: DueAnnouncement[] = [];
  beforeEach(async () => {
    database = await freshDatabase();
    await (await openDataSource(createUsersDataSource(database.url))).destroy();
    pool = createPool(database.url, { max: 4, name: 'spec' });
  });
  afterEach(async () => {
    await Promise.all(running.splice(0).map((due) => due.stop()));
    await pool.end();
    await database.drop();
  });

  const begin = (announce: () => Promise<void>): DueAnnouncement => {
    const due = new DueAnnouncement({ pool, announce, logger });
    running = [...running, due];
    return due;
  };
  const isDue = async () => (await pool.query('select from due_announcement')).rowCount === 1;

  it('given that nothing is due, when an instance starts, then it announces nothing', async () => {
    await begin(() => Promise.reject(new Error('it did'))).stop();
    expect(await isDue()).toBe(false);
  });

  it('given lost records, when two instances start, then one announces, once', async () => {
    await noteLostRecords(pool);
    await noteLostRecords(pool);
    let announced = 0;
    const announce = async () => void (announced += 1);
    begin(announce);
    begin(announce);
    await eventually(async () => expect(await isDue()).toBe(false));
    await Promise.all(running.map((due) => due.stop()));
    expect(announced).toBe(1);
  });

  it('given an instance that ended halfway, when another is there, then that one announces everybody', async () => {
    await noteLostRecords(pool);
    let fail = (_error: Error): void => undefined;
    const halfway = new Promise<void>((began) =>
      begin(() => new Promise((_resolve, reject) => ((fail = reject), began()))),
    );
    await halfway;
    let announced = 0;
    begin(async () => void (announced += 1));
    const [first] = running;
    const stopped = first?.stop();
    expect([await isDue(), announced]).toEqual([true, 0]);
    fail(new Error('ended'));
    await stopped;
    await eventually(async () => expect(await isDue()).toBe(false));
    expect(announced).toBe(1);
  });
});
