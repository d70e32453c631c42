import { TOPICS, type PublicUserEvent, type UserRecord } from '@settle/contracts';
import type { EventStore } from '@settle/event-store';
import { schemaErrorsOf } from '@settle/testing';
import { LAB_LOGGER, LedgerLab, type LabInstance } from '../../test/ledger-lab/ledger-lab.fixture.js';
import { person, proves, anEmail } from '../../test/ledger-lab/people.fixture.js';
import { exportTopic } from '../operators/export-topic.js';
import { raisePublicEventEpoch } from '../public-events/public-event-epoch.js';
import { USERS_LIFECYCLE } from '../public-events/published-topics.js';
import { Clock } from '../storage/clock.js';
import { UserStatusRecorder } from './user-status-recorder.js';

const LATER_US = 1_764_000_000_000_000;
const LATER = '2025-11-24T16:00:00.000000Z';

describe('the recorder of statuses of users', () => {
  let lab: LedgerLab;
  let instance: LabInstance;
  beforeAll(async () => {
    lab = await LedgerLab.open();
    instance = await lab.instance();
  });
  afterAll(() => lab.close());

  function recorder(store: Pick<EventStore, 'append' | 'readStream'> = instance.store): UserStatusRecorder {
    const clock = new Clock(() => LATER_US / 1_000);
    return new UserStatusRecorder({ store, pool: instance.pools.live.pool, clock, logger: LAB_LOGGER });
  }

  /** Returns what the topic has of a user. */
  async function eventsOf({ card }: UserRecord): Promise<readonly PublicUserEvent[]> {
    const lines: string[] = [];
    const write = async (text: string) => void lines.push(...text.split('\n').slice(0, -1));
    await exportTopic({ store: instance.store, pool: lab.pool, write }, { published: USERS_LIFECYCLE, from: 0 });
    const records = lines.map((line) => JSON.parse(line) as { topic: string; key: string; data: PublicUserEvent });
    for (const { topic, key, data } of records) {
      expect([topic, key, schemaErrorsOf(data)]).toEqual([TOPICS.usersLifecycle, data.userId, []]);
    }
    return records.filter(({ key }) => key === card.id).map(({ data }) => data);
  }
  const typesOf = async (who: UserRecord) => (await eventsOf(who)).map(({ type }) => type);
  const frozen = (who: UserRecord, isFrozen = true): UserRecord => ({ ...who, version: who.version + 1, isFrozen });
  /** Records until nothing is queued. Returns the number of rows. */
  async function drain(recording = recorder()): Promise<number> {
    let rows = 0;
    for (let round = await recording.runRound(); round > 0; round = await recording.runRound()) rows += round;
    return rows;
  }

  it('given a new user, when the status is recorded, then the topic says who joined and when, and nothing about the person', async () => {
    const ann = person({ version: 7 });
    await lab.know(ann);
    await drain();
    expect(await eventsOf(ann)).toEqual([
      {
        eventId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        type: 'UserJoined',
        schemaVersion: 1,
        userId: ann.card.id,
        position: expect.any(Number),
        revision: 0,
        occurredAt: LATER,
        joinedAt: '1970-01-01T00:00:00.000001Z',
        status: 'active',
      },
    ]);
  });

  it('given a user, when operators freeze and thaw the account, then each change has one event, and others have none', async () => {
    const ann = person();
    const [freeze, renamed] = [frozen(ann), proves(frozen(ann), anEmail())];
    const thaw = frozen(renamed, false);
    for (const record of [ann, freeze]) await lab.know(record);
    await drain();
    await lab.know({ ...renamed, card: { ...ann.card, displayName: 'Ann Lee' } });
    expect(await drain()).toBe(0);
    await lab.know(thaw);
    await drain();
    await lab.know(freeze, thaw);
    expect(await drain()).toBe(0);
    const events = await eventsOf(ann);
    expect(events.map(({ type, status, revision }) => [type, status, revision])).toEqual([
      ['UserJoined', 'active', 0],
      ['UserFrozen', 'frozen', 1],
      ['UserThawed', 'active', 2],
    ]);
    expect(new Set(events.map(({ joinedAt }) => joinedAt)).size).toBe(1);
  });

  it('given a freeze that ends while its event is stored, when the round ends, then the end has its event as well', async () => {
    const ann = person();
    await lab.know(ann);
    await drain();
    const freeze = frozen(ann);
    await lab.know(freeze);
    const store: Pick<EventStore, 'append' | 'readStream'> = {
      readStream: (...asked) => instance.store.readStream(...asked),
      append: async (unit) => {
        // Another instance takes in the next record, and records it, before this one's append.
        if (unit[0]?.events[0]?.type === 'UserFrozen') {
          await lab.know(frozen(freeze, false));
          await recorder().runRound();
        }
        return instance.store.append(unit);
      },
    };
    expect(await recorder(store).runRound()).toBe(1);
    expect(await typesOf(ann)).toEqual(['UserJoined', 'UserFrozen', 'UserThawed']);
    await drain();
    expect(await typesOf(ann)).toEqual(['UserJoined', 'UserFrozen', 'UserThawed']);
  });

  it('given a store that fails, when the round fails, then the user stays queued and the next round records it once', async () => {
    const ann = person();
    await lab.know(ann);
    const append: EventStore['append'] = async (unit) => {
      await instance.store.append(unit);
      throw new Error('The answer is lost');
    };
    const failing = recorder({ append, readStream: (...asked) => instance.store.readStream(...asked) });
    await expect(failing.runRound()).rejects.toThrow('The answer is lost');
    expect(await drain()).toBe(1);
    expect(await typesOf(ann)).toEqual(['UserJoined']);
  });

  it('given many users and several instances, when all record at once, then each user has joined once', async () => {
    const users = Array.from({ length: 300 }, () => person());
    await lab.know(...users);
    await Promise.all([drain(), drain(), drain()]);
    await drain();
    const { rows } = await lab.pool.query<{ stream: string; events: number }>(
      `select stream, count(*)::int as events from events where stream ^@ 'user-' group by stream having count(*) > 1
         and bool_and(type = 'UserJoined')`,
    );
    expect(rows).toEqual([]);
    for (const user of [users[0]!, users.at(-1)!]) expect(await typesOf(user)).toEqual(['UserJoined']);
  });

  it('given a restored ledger whose log has no events of its users, when the epoch is raised, then they are recorded again', async () => {
    await drain();
    const { rows } = await lab.pool.query<{ users: number }>('select count(*)::int as users from known_users');
    await raisePublicEventEpoch(lab.pool);
    expect(await drain()).toBe(rows[0]?.users);
  });
});
