import { createLogger } from '@settle/observability';
import { createPool, migrateSchema } from '@settle/postgres';
import { eventually, freshDatabase, type FreshDatabase } from '@settle/testing';
import type { Pool } from 'pg';
import { noteLostRecords, notePublicUrl, startDueAnnouncement } from './due-announcement.js';
import { raiseRecordEpoch } from './record-epoch.js';
import { USERS_SCHEMA } from '../storage/users-schema.js';

const logger = createLogger({ level: 'silent', service: 'spec' });

describe('startDueAnnouncement', () => {
  let database: FreshDatabase;
  let pool: Pool;
  let running: (() => Promise<void>)[] = [];
  beforeEach(async () => {
    database = await freshDatabase();
    await migrateSchema(USERS_SCHEMA, database.url);
    pool = createPool(database.url, { max: 4, name: 'spec' });
    await notePublicUrl(pool, 'http://localhost:3000');
  });
  afterEach(async () => {
    await Promise.all(running.splice(0).map((stop) => stop()));
    await pool.end();
    await database.drop();
  });

  const begin = (announce: (publicUrl: string, signal: AbortSignal) => Promise<void>) => {
    const stop = startDueAnnouncement({ pool, announce, logger, isOnlyInstance: false });
    running = [...running, stop];
    return stop;
  };
  const isDue = async () => (await pool.query('select from due_announcement')).rowCount === 1;

  it('given that nothing is due, when an instance starts, then it publishes nothing', async () => {
    await begin(() => Promise.reject(new Error('it did')))();
    expect(await isDue()).toBe(false);
  });

  it('given lost records, when two instances start, then one of them publishes all users once', async () => {
    await noteLostRecords(pool);
    await noteLostRecords(pool);
    let announced = 0;
    const announce = async () => void (announced += 1);
    begin(announce);
    begin(announce);
    await eventually(async () => expect(await isDue()).toBe(false));
    await Promise.all(running.map((stop) => stop()));
    expect(announced).toBe(1);
  });

  it('given an instance that ended halfway, when another one runs, then it publishes all users again', async () => {
    await noteLostRecords(pool);
    let fail = (_error: Error): void => undefined;
    const halfway = new Promise<void>((began) =>
      begin(() => new Promise((_resolve, reject) => ((fail = reject), began()))),
    );
    await halfway;
    let announced = 0;
    begin(async () => void (announced += 1));
    const [stopFirst] = running;
    const stopped = stopFirst?.();
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

  it('given a new public URL, when instances start and one ends halfway, then the next one publishes that URL', async () => {
    await notePublicUrl(pool, 'https://pay.example.com');
    await notePublicUrl(pool, 'https://pay.example.com');
    const halfway = new Promise<void>((began) =>
      begin((_publicUrl, signal) => {
        began();
        return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('ended'))));
      }),
    );
    await halfway;
    await running.splice(0)[0]?.();
    expect(await isDue()).toBe(true);
    const announced: string[] = [];
    begin(async (publicUrl) => void announced.push(publicUrl));
    await eventually(async () => expect(await isDue()).toBe(false));
    await notePublicUrl(pool, 'https://pay.example.com');
    expect([announced, await isDue()]).toEqual([['https://pay.example.com'], false]);
  });
});
