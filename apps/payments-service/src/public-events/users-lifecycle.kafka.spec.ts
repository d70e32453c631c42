import { TOPICS, type LedgerWatermark, type PublicUserEvent, type UserRecord } from '@settle/contracts';
import { eventually, schemaErrorsOf, startPostgresForSpecs, stopPostgresOfSpecs } from '@settle/testing';
import { LedgerLab } from '../../test/ledger-lab/ledger-lab.fixture.js';
import { person } from '../../test/ledger-lab/people.fixture.js';
import { PublicTopics, type PlainRecord } from '../../test/public-events/public-topics.fixture.js';
import { raisePublicEventEpoch } from './public-event-epoch.js';

const LONGEST_WAIT_MS = 45_000;

describe('the lifecycle of users on Kafka', () => {
  let lab: LedgerLab;
  const users: readonly UserRecord[] = Array.from({ length: 30 }, () => person());
  const [ann, bob] = users as [UserRecord, UserRecord];
  const topics = new PublicTopics();
  const records: PlainRecord[] = [];
  const watermarks: LedgerWatermark[] = [];

  beforeAll(async () => {
    await startPostgresForSpecs();
    lab = await LedgerLab.open();
    await lab.instance();
    // Users of a ledger that was in use before there was the topic.
    await lab.know(...users, { ...bob, version: 2, isFrozen: true });
    await topics.publish(lab.url);
    await topics.consume([TOPICS.usersLifecycle, TOPICS.ledgerWatermarks], (record) => {
      if (record.topic === TOPICS.usersLifecycle) records.push(record);
      else watermarks.push(JSON.parse(record.value) as LedgerWatermark);
    });
  });
  afterAll(async () => {
    await topics.close();
    await lab.close();
    await stopPostgresOfSpecs();
  });

  /** Returns the types of the events of each user under an epoch, without repeated ones. */
  function typesByUser(epoch: string): ReadonlyMap<string, readonly string[]> {
    const once = new Map(
      records
        .filter(({ headers }) => headers['epoch'] === epoch)
        .map(({ headers, value }) => [headers['event-id'], JSON.parse(value) as PublicUserEvent]),
    );
    const byUser = Map.groupBy(once.values(), ({ userId }) => userId);
    return new Map([...byUser].map(([userId, events]) => [userId, events.map(({ type }) => type)]));
  }
  const expectTypes = (epoch: string, ofAnn: readonly string[]) =>
    eventually(
      () => {
        const types = typesByUser(epoch);
        expect(types.get(ann.card.id)).toEqual(ofAnn);
        expect(types.get(bob.card.id)).toEqual(['UserJoined', 'UserFrozen']);
        expect(types.size).toBe(users.length);
      },
      { timeoutMs: LONGEST_WAIT_MS },
    );

  it('given users from before the topic, when it is published, then a late reader gets all of them, and those who change later', async () => {
    await expectTypes('1', ['UserJoined']);
    for (const { key, value, headers } of records) {
      const event = JSON.parse(value) as PublicUserEvent;
      expect([key, schemaErrorsOf(event)]).toEqual([event.userId, []]);
      expect(headers).toMatchObject({
        type: event.type,
        position: String(event.position),
        revision: String(event.revision),
        time: event.occurredAt,
        ce_type: `settle.${event.type}.v1`,
      });
    }
    await lab.know({ ...ann, version: 2, isFrozen: true });
    await expectTypes('1', ['UserJoined', 'UserFrozen']);
  });

  it('given watermarks, when they pass the newest event, then everything of the topic lies below their offsets', async () => {
    const newest = Math.max(...records.map(({ headers }) => Number(headers['position'])));
    const marksOf = (mark: LedgerWatermark | undefined) =>
      (mark?.partitions ?? []).filter(({ topic }) => topic === TOPICS.usersLifecycle);
    await eventually(
      () => {
        const marks = marksOf(watermarks.at(-1));
        expect(marks.length).toBeGreaterThan(0);
        expect(Math.min(...marks.map(({ position }) => position))).toBeGreaterThanOrEqual(newest);
      },
      { timeoutMs: LONGEST_WAIT_MS },
    );
    const offsets = new Map(marksOf(watermarks.at(-1)).map(({ partition, offset }) => [partition, offset]));
    for (const { partition, offset } of records) expect(offset).toBeLessThan(offsets.get(partition) ?? 0);
  });

  it('given a raised epoch, when the next process publishes, then the topic has every event again under that epoch', async () => {
    await topics.killProcesses();
    await raisePublicEventEpoch(lab.pool);
    await topics.publish(lab.url);
    await expectTypes('2', ['UserJoined', 'UserFrozen']);
  });
});
