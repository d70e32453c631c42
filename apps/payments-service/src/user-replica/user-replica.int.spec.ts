import { ChangeTracker } from '@settle/concurrency';
import type { Pool } from 'pg';
import { anEmail, pair, person, proves } from '../../test/ledger-lab/people.fixture.js';
import { COPIES, emptyTables } from '../../test/user-replica/copy-of-people.fixture.js';
import { CHANGED_KEY } from '../storage/changed-keys.js';
import type { StoredUserReplica } from './stored-user-replica.js';
import { findUsers } from './user-replica.js';
import { CachedUserReplica } from './cached-user-replica.js';

describe.each(COPIES)('the copy of the people %s', (_place, open) => {
  let drop: () => Promise<void>;
  let people: StoredUserReplica;

  beforeAll(async () => {
    const tables = await emptyTables();
    drop = tables.drop;
    people = open(tables.pool);
  });
  afterAll(() => drop());

  it('given an empty replica, when a record arrives, then it is filled and contains the user', async () => {
    const who = person();
    expect([await people.isFilled(), await people.findUser(who.card.id)]).toEqual([false, null]);
    await people.save([who]);
    expect([await people.isFilled(), await people.findUser(who.card.id)]).toEqual([true, who]);
  });

  it('given records out of order and doubled, when taken in, then the newest version stays', async () => {
    const [who, other] = [person(), person()];
    const newest = { ...who, version: 3, isFrozen: true };
    const mail = anEmail();
    const proven = await people.save([newest, who, newest, other]);
    expect(proven).toEqual([]);
    expect(await people.save([{ ...proves(who, mail), version: 2 }])).toEqual([]);
    expect(await people.findUser(who.card.id)).toEqual(newest);
    expect(await people.findOwner('email', mail.value)).toBeNull();
    await people.save([pair(who, other, { version: 2 }), pair(who, other, { version: 1, blocks: true })]);
    expect((await people.findTwo(other.card.id, who.card.id)).pair?.version).toBe(2);
    expect((await people.findTwo(who.card.id, person().card.id)).pair).toBeNull();
  });

  it('given records of two epochs, when they are saved in any order, then the newest of the later epoch stays', async () => {
    const [who, other] = [person(), person()];
    const unfrozen = { ...who, version: 40 };
    const frozen = { ...who, epoch: 1_800_000_000, version: 3, isFrozen: true };
    await people.save([unfrozen]);
    await people.findUser(who.card.id);
    await people.save([{ ...frozen, version: 2, isFrozen: false }, frozen, { ...unfrozen, version: 41 }]);
    await people.save([{ ...unfrozen, version: 42, epoch: 1 }]);
    expect(await people.findUser(who.card.id)).toEqual(frozen);
    await people.save([pair(who, other, { version: 8 })]);
    await people.save([{ ...pair(who, other, { version: 2, blocks: true }), epoch: 1_800_000_000 }]);
    expect((await people.findTwo(other.card.id, who.card.id)).pair).toMatchObject({ version: 2, epoch: 1_800_000_000 });
  });

  it('given records without changes, when they arrive, then only newly verified addresses are reported', async () => {
    const [who, mail, other] = [person(), anEmail(), anEmail()];
    const first = proves(who, mail, 1);
    expect(await people.save([first])).toEqual([{ kind: 'email', value: mail.value, userId: who.card.id }]);
    const renamed = { ...first, version: 3, card: { ...first.card, displayName: 'Some Other' } };
    expect(await people.save([renamed])).toEqual([]);
    expect(await people.save([proves(renamed, other, 4)])).toEqual([
      { kind: 'email', value: other.value, userId: who.card.id },
    ]);
    const again = { ...proves(who, mail, 5), version: 6 };
    expect(await people.save([again])).toEqual([{ kind: 'email', value: mail.value, userId: who.card.id }]);
  });

  it('given an address that changes hands, when asked, then the newest proof counts, and one taken back does not', async () => {
    const [one, other] = [person(), person()];
    const mail = anEmail();
    await people.save([proves(one, mail, 1), proves(other, mail, 2)]);
    expect(await people.findOwner('email', mail.value)).toBe(other.card.id);
    await people.save([{ ...other, version: 9 }]);
    expect(await people.findOwner('email', mail.value)).toBe(one.card.id);
  });

  it('given many concurrent look-ups, when some users are unknown, then each caller gets its own result', async () => {
    const [one, two, unknown] = [person(), person(), person()];
    await people.save([one, two, pair(one, two, { trusts: true })]);
    const ids = [one, unknown, two].map(({ card }) => card.id);
    expect(await Promise.all(ids.map((id) => people.findUser(id)))).toEqual([one, null, two]);
    expect([...(await findUsers(people, [...ids, ...ids])).keys()].sort()).toEqual([one.card.id, two.card.id].sort());
    const asked = [
      people.findTwo(ids[2]!, ids[0]!),
      people.findTwo(ids[0]!, ids[1]!),
      people.findTwo(ids[0]!, ids[2]!),
    ];
    const [there, none, back] = await Promise.all(asked);
    expect([there?.one, there?.other, there?.pair?.areFriends]).toEqual([two, one, true]);
    expect(none).toEqual({ one, other: null, pair: null });
    expect(back).toEqual({ one, other: two, pair: there?.pair });
  });
});

describe('the copy of the people in memory', () => {
  let drop: () => Promise<void>;
  let pool: Pool;

  beforeAll(async () => {
    ({ pool, drop } = await emptyTables());
  });
  afterAll(() => drop());

  it('given lookups in progress, when their subject changes, then no old response is cached', async () => {
    const [who, other] = [person(), person()];
    const mail = anEmail();
    await new CachedUserReplica(pool, new ChangeTracker(100)).save([who]);
    const { slow, answered, release } = slowed(pool, 3);
    const reader = new CachedUserReplica(slow, new ChangeTracker(100));
    const ids = [who.card.id, other.card.id] as const;
    const before = Promise.all([
      reader.findUser(who.card.id),
      reader.findOwner('email', mail.value),
      reader.findTwo(...ids),
    ]);
    await answered;
    await reader.save([{ ...proves(who, mail), isFrozen: true }, pair(who, other)]);
    release();
    expect(await before).toEqual([who, null, { one: who, other: null, pair: null }]);
    expect((await reader.findTwo(...ids)).pair?.areFriends).toBe(true);
    expect((await reader.findUser(who.card.id))?.isFrozen).toBe(true);
    expect(await reader.findOwner('email', mail.value)).toBe(who.card.id);
  });

  it('given a change that is committed without a response, when it arrives again, then nothing read before it is current', async () => {
    const who = person();
    const mail = anEmail();
    const changes = new ChangeTracker(100);
    changes.resume();
    const reader = new CachedUserReplica(cutAfterCommit(pool), changes);
    expect(await reader.findOwner('email', mail.value)).toBeNull();
    const read = { readAt: changes.position, dependsOn: [CHANGED_KEY.address('email', mail.value)] };
    await expect(reader.save([proves(who, mail)])).rejects.toThrow('cut');
    await reader.save([proves(who, mail)]);
    expect(changes.isCurrent(read)).toBe(false);
    expect(await reader.findOwner('email', mail.value)).toBe(who.card.id);
  });
});

/** A pool whose first commit succeeds, and whose connection is then cut. */
function cutAfterCommit(pool: Pool): Pool {
  let isCut = false;
  const connect = async () => {
    const client = await pool.connect();
    const query = async (...asked: Parameters<typeof client.query>) => {
      const response: unknown = await (client.query as (...all: unknown[]) => Promise<unknown>)(...asked);
      if ((asked[0] as unknown) !== 'commit' || isCut) return response;
      isCut = true;
      throw new Error('cut');
    };
    return { query, release: (isBroken: boolean) => client.release(isBroken) };
  };
  return { query: pool.query.bind(pool), connect } as unknown as Pool;
}

/** A pool that keeps the answers of so many look-ups back until `release`; transactions take their time as ever. */
function slowed(pool: Pool, lookUps: number) {
  let release = () => {};
  let left = lookUps;
  let allAnswered = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  const answered = new Promise<void>((resolve) => (allAnswered = resolve));
  const query = async (...asked: Parameters<Pool['query']>) => {
    const answer: unknown = await (pool.query as (...all: unknown[]) => Promise<unknown>)(...asked);
    left -= 1;
    if (left === 0) allAnswered();
    await held;
    return answer;
  };
  return { slow: { query, connect: () => pool.connect() } as unknown as Pool, answered, release: () => release() };
}
