import { randomId, usersStateKey, type PairRecord, type UsersStateRecord } from '@settle/contracts';
import { createPool } from '@settle/postgres';
import { freshDatabase, type FreshDatabase } from '@settle/testing';
import type { Pool } from 'pg';
import type { DataSource } from 'typeorm';
import { Users } from './users.js';
import { raiseRecordEpoch } from '../announcements/record-epoch.js';
import { openUsersTables } from '../../test/users-tables.fixture.js';

describe('what takes a right away between two people', () => {
  let database: FreshDatabase;
  let dataSource: DataSource;
  let pool: Pool;
  let people: Users;
  let low: string;
  let high: string;

  beforeAll(async () => {
    database = await freshDatabase();
    dataSource = await openUsersTables(database.url);
    pool = createPool(database.url, { max: 1, name: 'spec' });
    people = new Users(dataSource.manager, 'http://localhost:3000');
  });
  afterAll(async () => {
    await pool.end();
    await dataSource.destroy();
    await database.drop();
  });

  beforeEach(async () => {
    const ids = [1, 2].map(() => randomId(Date.now()));
    for (const id of ids) {
      const names = { username: `u${id}`, firstName: 'Some', lastName: 'Body' };
      await people.createUser({ id, ...names, email: null, phone: null, joinedAtUs: 1 });
    }
    [low, high] = ids.toSorted((one, other) => (BigInt(one) < BigInt(other) ? -1 : 1)) as [string, string];
  });

  /** The pair's records, oldest first. */
  async function announced(): Promise<PairRecord[]> {
    const rows = await dataSource.query<{ payload: UsersStateRecord }[]>(
      'select payload from outbox where key = $1 order by id',
      [`pair:${low}:${high}`],
    );
    return rows.map(({ payload }) => payload as PairRecord);
  }

  const pairs = () => dataSource.query<object[]>('select from pairs where low = $1', [low]);

  it('given blocks by either, when set and taken back, then each is its own, with the version that was announced', async () => {
    const said = [
      await people.setBlock({ userId: low, otherId: high, blocks: true }),
      await people.setBlock({ userId: high, otherId: low, blocks: true }),
      await people.setBlock({ userId: low, otherId: high, blocks: false }),
    ];
    const records = await announced();
    expect(records.map(({ lowBlocksHigh, highBlocksLow }) => [lowBlocksHigh, highBlocksLow])).toEqual([
      [true, false],
      [true, true],
      [false, true],
    ]);
    expect(said).toEqual(records.map((record) => ({ key: usersStateKey(record), epoch: 1, version: record.version })));
  });

  it('given a block, when it is set again, then the response has the version of the first, and nothing is written', async () => {
    const block = { userId: high, otherId: low, blocks: true };
    const first = await people.setBlock(block);
    expect(await people.setBlock(block)).toEqual(first);
    expect(await announced()).toHaveLength(1);
  });

  it('given trust, when it is withdrawn twice, then both responses have the version of the withdrawal', async () => {
    await people.befriend(low, high);
    await people.setTrust({ userId: high, friendId: low, trusts: true });
    const withdraw = () => people.setTrust({ userId: high, friendId: low, trusts: false });
    const version = { key: `pair:${low}:${high}`, epoch: 1, version: 3 };
    expect([await withdraw(), await withdraw()]).toEqual([version, version]);
    expect((await announced()).at(-1)).toMatchObject({ highTrustsLow: false, areFriends: true, version: 3 });
  });

  it('given trust with an amount, when it is set again, changed, kept and withdrawn, then each change is published once, and the amount ends with the trust', async () => {
    await people.befriend(low, high);
    const set = async (amountPerDayCents?: number | null, trusts = true) =>
      (await people.setTrust({ userId: high, friendId: low, trusts, amountPerDayCents })).version;
    expect([await set(500), await set(500), await set(), await set(700)]).toEqual([2, 2, 2, 3]);
    expect((await announced()).at(-1)).toMatchObject({ highAmountPerDayCents: 700, lowAmountPerDayCents: null });
    expect([await set(null), await set(300), await set(300, false), await set()]).toEqual([4, 5, 6, 7]);
    expect((await announced()).at(-1)).toMatchObject({ highTrustsLow: true, highAmountPerDayCents: null });
    await set(300);
    await people.unfriend(low, high);
    expect((await announced()).at(-1)).toMatchObject({ highTrustsLow: false, highAmountPerDayCents: null });
  });

  it('given strangers, when a block that is not there is taken back, then no pair is made of them', async () => {
    const { version } = await people.setBlock({ userId: low, otherId: high, blocks: false });
    expect([version, await pairs(), await announced()]).toEqual([0, [], []]);
  });

  it('given a restored database, when a relation that it does not know is withdrawn, then both are announced as strangers', async () => {
    const epoch = await raiseRecordEpoch(pool);
    const withdrawn = await people.unfriend(low, high);
    expect(withdrawn).toEqual({ key: `pair:${low}:${high}`, epoch, version: 1 });
    expect(await announced()).toMatchObject([{ epoch, version: 1, areFriends: false, lowTrustsHigh: false }]);
    await pool.query('update record_epoch set epoch = 1');
  });

  it('given a user who blocks themselves, or an unknown user, when requested, then it is refused', async () => {
    const block = (userId: string, otherId: string) => people.setBlock({ userId, otherId, blocks: true });
    await expect(block(low, low)).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(block(low, randomId(Date.now()))).rejects.toMatchObject({ code: 'resource_not_found' });
    expect(await pairs()).toEqual([]);
  });
});
