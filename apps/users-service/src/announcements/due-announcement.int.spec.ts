import { createLogger } from '@settle/observability';
import { createPool, migrateSchema } from '@settle/postgres';
import { eventually, freshDatabase, type FreshDatabase } from '@settle/testing';
import type { Pool } from 'pg';
import { DueAnnouncement, noteLostRecords, notePublicUrl } from './due-announcement.js';
import { raiseRecordEpoch } from './record-epoch.js';
import { USERS_SCHEMA } from '../storage/users-schema.js';

const logger = createLogger({ level: 'silent', service: 'spec' });

describe('the announcement that is due', () => {
  let database: FreshDatabase;
  let pool: Pool;
  let running: DueAnnouncement[] = [];
  beforeEach(async () => {
    database = await freshDatabase();
    await migrateSchema(USERS_SCHEMA, database.url);
    pool = createPool(database.url, { max: 4, name: 'spec' });
    await notePublicUrl(pool, 'http://localhost:3000');
  });
  afterEach(async () => {
    await Promise.all(running.splice(0).map((due) => due.stop()));
    await pool.end();
    await database.drop();
  });

  const begin = (announce: (publicUrl: string, signal: AbortSignal) => Promise<void>): DueAnnouncement => {
    const due = new DueAnnouncement({ pool, announce, logger, isOnlyInstance: false });
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

  it('given an instance that ended halfway, when another runs, then it publishes all users again', async () => {
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

  it('given a republication halfway, when the epoch is raised, then all users are published once more', async () => {
    await noteLostRecords(pool);
    let announced = 0;
    begin(async () => {
      announced += 1;
      if (announced === 1) await raiseRecordEpoch(pool);
    });
    await eventually(async () => expect(await isDue()).toBe(false));
    expect(announced).toBe(2);
  });

  it('given a new public address, when instances start and one ends halfway, then the next announces that address', async () => {
    await notePublicUrl(pool, 'https://pay.example.com');
    await notePublicUrl(pool, 'https://pay.example.com');
    const halfway = new Promise<void>((began) =>
      begin((_publicUrl, signal) => {
        began();
        return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('ended'))));
      }),
    );
    await halfway;
    await running.splice(0)[0]?.stop();
    expect(await isDue()).toBe(true);
    const announced: string[] = [];
    begin(async (publicUrl) => void announced.push(publicUrl));
    await eventually(async () => expect(await isDue()).toBe(false));
    await notePublicUrl(pool, 'https://pay.example.com');
    expect([announced, await isDue()]).toEqual([['https://pay.example.com'], false]);
  });
});
