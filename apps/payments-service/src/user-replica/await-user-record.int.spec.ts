import { usersStateKey } from '@settle/contracts';
import type { Pool } from 'pg';
import { pair, person } from '../../test/ledger-lab/people.fixture.js';
import { COPIES, emptyTables } from '../../test/user-replica/copy-of-people.fixture.js';
import type { StoredUserReplica } from './stored-user-replica.js';
import { awaitUserRecord } from './await-user-record.js';

describe.each(COPIES)('a change of people, to a copy %s', (_place, open) => {
  let drop: () => Promise<void>;
  let pool: Pool;
  let people: StoredUserReplica;

  beforeAll(async () => {
    ({ pool, drop } = await emptyTables());
    people = open(pool);
  });
  afterAll(() => drop());

  it('given a record that is known, when asked for it or for an earlier version, then it is answered at once', async () => {
    const who = person({ version: 7 });
    await people.save([who]);
    for (const version of [1, 7]) expect(await awaitUserRecord(people, { key: usersStateKey(who), version })).toBe(7);
  });

  // Shows create-22
  it('given a caller that waits for a freeze, when its record arrives, then the response follows and the freeze is in force', async () => {
    const who = person();
    await people.save([who]);
    await people.findUser(who.card.id);
    let isKnown = false;
    const known = awaitUserRecord(people, { key: usersStateKey(who), version: 2 }).then(() => (isKnown = true));
    await people.save([{ ...who, version: 1 }]);
    await pool.query('select');
    expect(isKnown).toBe(false);
    await people.save([{ ...who, version: 2, isFrozen: true }]);
    await known;
    expect((await people.findUser(who.card.id))?.isFrozen).toBe(true);
  });

  it('given a record from before a restore, when one from after it is awaited, then only that one is the answer', async () => {
    const who = person({ version: 30 });
    await people.save([who]);
    const key = usersStateKey(who);
    let isKnown = false;
    const known = awaitUserRecord(people, { key, epoch: 2, version: 3 }).then(() => (isKnown = true));
    await people.save([{ ...who, version: 31 }]);
    await pool.query('select');
    expect(isKnown).toBe(false);
    await people.save([{ ...who, epoch: 2, version: 3 }]);
    await known;
    // An instance of users-service from before records had an epoch names none.
    expect(await awaitUserRecord(people, { key, version: 90 })).toBe(3);
  });

  // Shows create-23
  it('given trust that either side may have been looked up for, when it is withdrawn, then both sides know', async () => {
    const [one, other] = [person(), person()];
    await people.save([one, other, pair(one, other, { trusts: true })]);
    for (const [a, b] of [
      [one, other],
      [other, one],
    ]) {
      await people.findTwo(a!.card.id, b!.card.id);
    }
    const withdrawn = pair(one, other, { version: 2 });
    const known = awaitUserRecord(people, { key: usersStateKey(withdrawn), version: 2 });
    await people.save([withdrawn]);
    expect(await known).toBe(2);
    expect((await people.findTwo(one.card.id, other.card.id)).pair).toEqual(withdrawn);
    expect((await people.findTwo(other.card.id, one.card.id)).pair).toEqual(withdrawn);
  });

  // Shows create-25
  it('given a record that does not come, when asked for it, then outcome_unknown after two seconds', async () => {
    const startedAtMs = performance.now();
    const asked = [person(), pair(person(), person())].map((record) =>
      awaitUserRecord(people, { key: usersStateKey(record), version: 1 }),
    );
    const refusals = asked.map((answer) => expect(answer).rejects.toMatchObject({ code: 'outcome_unknown' }));
    await Promise.all(refusals);
    // A timer may fire a millisecond before its time.
    expect(performance.now() - startedAtMs).toBeGreaterThanOrEqual(1_995);
  });
});
