import { createPool } from '@settle/postgres';
import { freshDatabase, type FreshDatabase } from '@settle/testing';
import type { Pool } from 'pg';
import { anEmail, pair, person, proves } from '../ledger-lab/people.fixture.js';
import { migratePayments } from '../start-payments-service.js';
import { KnownPeople } from './known-people.js';

describe('the copy of the people', () => {
  let database: FreshDatabase;
  let pool: Pool;
  let people: KnownPeople;

  beforeAll(async () => {
    database = await freshDatabase();
    await migratePayments(database.url);
    pool = createPool(database.url, { max: 4, name: 'spec' });
    people = new KnownPeople(pool);
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  it('given nobody, when somebody is taken in, then it is filled and knows them', async () => {
    const who = person();
    expect([await people.isFilled(), await people.user(who.card.id)]).toEqual([false, null]);
    await people.save([who]);
    expect([await people.isFilled(), await people.user(who.card.id)]).toEqual([true, who]);
  });

  it('given records out of order and doubled, when taken in, then the newest version stays', async () => {
    const [who, other] = [person(), person()];
    const newest = { ...who, version: 3, isFrozen: true };
    const mail = anEmail();
    const proven = await people.save([newest, who, newest, other]);
    expect(proven).toEqual([]);
    expect(await people.save([{ ...proves(who, mail), version: 2 }])).toEqual([]);
    expect(await people.user(who.card.id)).toEqual(newest);
    expect(await people.ownerOf('email', mail.value)).toBeNull();
    await people.save([pair(who, other, { version: 2 }), pair(who, other, { version: 1, blocks: true })]);
    expect((await people.pair(other.card.id, who.card.id))?.version).toBe(2);
    expect(await people.pair(who.card.id, person().card.id)).toBeNull();
  });

  it('given records that bring nothing new, when taken in, then only what is newly proven is told', async () => {
    const [who, mail, other] = [person(), anEmail(), anEmail()];
    const first = proves(who, mail, 1);
    expect(await people.save([first])).toEqual([{ kind: 'email', value: mail.value }]);
    const renamed = { ...first, version: 3, card: { ...first.card, displayName: 'Some Other' } };
    expect(await people.save([renamed])).toEqual([]);
    expect(await people.save([proves(renamed, other, 4)])).toEqual([{ kind: 'email', value: other.value }]);
    const again = { ...proves(who, mail, 5), version: 6 };
    expect(await people.save([again])).toEqual([{ kind: 'email', value: mail.value }]);
  });

  it('given an address that changes hands, when asked, then the newest proof counts, and one taken back does not', async () => {
    const [one, other] = [person(), person()];
    const mail = anEmail();
    await people.save([proves(one, mail, 1), proves(other, mail, 2)]);
    expect(await people.ownerOf('email', mail.value)).toBe(other.card.id);
    await people.save([{ ...other, version: 9 }]);
    expect(await people.ownerOf('email', mail.value)).toBe(one.card.id);
  });

  it('given look-ups under way, when what they ask about changes, then no old answer is kept', async () => {
    const [who, other] = [person(), person()];
    const mail = anEmail();
    await people.save([who]);
    const { slow, answered, release } = slowed(pool, 3);
    const reader = new KnownPeople(slow);
    const ids = [who.card.id, other.card.id] as const;
    const before = Promise.all([reader.user(who.card.id), reader.ownerOf('email', mail.value), reader.pair(...ids)]);
    await answered;
    await reader.save([{ ...proves(who, mail), isFrozen: true }, pair(who, other)]);
    release();
    expect(await before).toEqual([who, null, null]);
    expect((await reader.pair(...ids))?.areFriends).toBe(true);
    expect((await reader.user(who.card.id))?.isFrozen).toBe(true);
    expect(await reader.ownerOf('email', mail.value)).toBe(who.card.id);
  });
});

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
