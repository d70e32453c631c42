import { KAFKA_TOPICS, TOPICS, type Topic } from '@settle/contracts';
import kafkajs from 'kafkajs';
import type { EventEnvelope, KafkaBus, RequestEnvelope } from '../index.js';
import { kafkaSpace, readTopic, signal, writeRecord, type KafkaSpace } from '../../test/kafka/kafka.fixture.js';

const ask = (payload: object, timeoutMs = 10_000, pattern = 'spec.ask'): RequestEnvelope => ({
  topic: TOPICS.paymentsCommands,
  pattern,
  key: 'alice',
  payload,
  requestId: 'r',
  timeoutMs,
});

const tell = (payload: object | null, headers: Record<string, string> = {}): EventEnvelope => ({
  topic: TOPICS.usersState,
  pattern: 'spec.told',
  key: 'alice',
  payload,
  headers,
});

describe('records on Kafka', () => {
  let space: KafkaSpace;
  let bus: KafkaBus;
  beforeEach(async () => {
    space = await kafkaSpace();
    bus = await space.connect();
  });
  afterEach(() => space.close());

  /** Handles what is asked and tells what began. */
  async function answering() {
    const began: object[] = [];
    bus.handle(TOPICS.paymentsCommands, 'spec.ask', async (payload) => (began.push(payload), payload));
    await bus.ready();
    return began;
  }

  it('given requests that expired while no instance read, when one starts, then none of them begins', async () => {
    const expired = [1, 2].map((n) => bus.request(ask({ n }, 200)));
    for (const each of expired) await expect(each).rejects.toMatchObject({ code: 'outcome_unknown' });
    const began = await answering();
    await expect(bus.request(ask({ n: 3 }))).resolves.toEqual({ n: 3 });
    expect(began).toEqual([{ n: 3 }]);
  });

  it('given a pattern that no instance has, when it is asked, then the answer says so at once', async () => {
    await answering();
    await expect(bus.request(ask({}, 10_000, 'spec.new'))).rejects.toMatchObject({ code: 'service_unavailable' });
  });

  it('given a full limiter, when one more asks, then it is refused and a request of another pattern is answered', async () => {
    const small = await space.connect({ requests: { inProgress: 1, waiting: 0 } });
    const held = signal();
    const began = signal();
    small.handle(TOPICS.paymentsCommands, 'spec.held', async () => (began.give(), held.given.then(() => ({}))));
    small.handle(TOPICS.paymentsCommands, 'spec.ask', async (payload) => payload);
    await small.ready();
    const first = bus.request(ask({}, 10_000, 'spec.held'));
    await began.given;
    // An earlier request in progress keeps it from being committed, because another owner would start that one again.
    const doubted = bus.request(ask({}, 10_000, 'spec.held'));
    await expect(doubted).rejects.toMatchObject({ code: 'outcome_unknown' });
    const refused = bus.request(ask({}, 10_000, 'spec.held'));
    await expect(bus.request(ask({ n: 1 }))).resolves.toEqual({ n: 1 });
    held.give();
    await expect(first).resolves.toEqual({});
    await expect(refused).rejects.toMatchObject({ code: 'service_unavailable' });
  });

  it('given a payload too large for a record, when it is asked, then it is refused and the bus works on', async () => {
    await answering();
    const large = ask({ text: 'x'.repeat(1_000_000) });
    await expect(bus.request(large)).rejects.toMatchObject({ code: 'payload_too_large' });
    await expect(bus.request(ask({ n: 1 }))).resolves.toEqual({ n: 1 });
  });

  it('given more bytes at once than a sending carries, when they are published, then all arrive in order', async () => {
    const texts = Array.from({ length: 30 }, (_, n) => `${n}-${'x'.repeat(100_000)}`);
    await Promise.all(texts.map((text) => bus.publish(tell({ text }))));
    const records = await readTopic(space, TOPICS.usersState, texts.length);
    expect(records.map(({ value }) => JSON.parse(value ?? ''))).toEqual(texts.map((text) => ({ text })));
  });

  it('given events of one key that are published together, when one of them makes them too many bytes, then none is stored', async () => {
    const large = tell({ text: 'x'.repeat(900_000) });
    await expect(bus.publishTogether([tell({ n: 1 }), large, large, large])).rejects.toMatchObject({
      code: 'outcome_unknown',
    });
    await bus.publishTogether([tell({ n: 2 }), tell({ n: 3 })]);
    const records = await readTopic(space, TOPICS.usersState, 2);
    expect(records.map(({ value }) => value)).toEqual(['{"n":2}', '{"n":3}']);
  });

  it('given an event with headers, when a stranger reads the topic, then it is plain JSON with headers', async () => {
    await bus.publish(tell({ n: 1 }, { 'event-id': 'e1', type: 'Told' }));
    await bus.publish(tell(null));
    const records = await readTopic(space, TOPICS.usersState, 2);
    expect(records).toEqual([
      { key: 'alice', value: '{"n":1}', headers: { 'event-id': 'e1', type: 'Told', pattern: 'spec.told' } },
      { key: 'alice', value: null, headers: { pattern: 'spec.told' } },
    ]);
  });

  it('given a follower that is behind, when it is waited for, then it has taken all that was there', async () => {
    const count = 20;
    await Promise.all(Array.from({ length: count }, (_, n) => bus.publish({ ...tell({ n }), key: `k${n}` })));
    expect(await bus.hasConsumed(TOPICS.usersState, 'group', 0)).toBe(false);
    let taken = 0;
    bus.consume(TOPICS.usersState, 'spec.told', 'group', async (events) => void (taken += events.length));
    expect(await bus.hasConsumed(TOPICS.usersState, 'group', 10_000)).toBe(true);
    expect(taken).toBe(count);
  });

  it.each<[string, Topic, Record<string, string | null>, string]>([
    ['a request without headers', TOPICS.paymentsCommands, {}, 'It has no header begin-before.'],
    ['an event that is no JSON', TOPICS.usersState, { pattern: 'spec.told' }, 'Its value is no JSON object.'],
    ['an event without a pattern', TOPICS.usersState, {}, 'It has no header pattern.'],
    ['a header without a value', TOPICS.usersState, { pattern: null }, 'It has no header pattern.'],
  ])('given %s, when it is read, then the dead letters keep it and the partition moves on', async (...given) => {
    const [, topic, headers, reason] = given;
    const value = reason.startsWith('Its value') ? 'c4n4ry' : '{}';
    await answering();
    const told = signal<unknown>();
    bus.consume(TOPICS.usersState, 'spec.told', 'group', async ([event]) => told.give(event?.payload));
    await bus.ready();
    await writeRecord(space, topic, { key: 'alice', value, headers });
    await bus.publish(tell({ n: 2 }));
    await expect(bus.request(ask({ n: 2 }))).resolves.toEqual({ n: 2 });
    expect(await told.given).toEqual({ n: 2 });
    const [letter] = await readTopic(space, KAFKA_TOPICS.deadLetters.name, 1);
    expect(letter).toMatchObject({
      key: 'alice',
      value,
      headers: {
        ...headers,
        'dead-letter-topic': `${space.topicPrefix}${topic}`,
        'dead-letter-offset': '0',
        'dead-letter-reason': reason,
      },
    });
  });

  it('given a finished request, when the instance closes, then its offset is committed', async () => {
    await answering();
    await bus.request(ask({ n: 1 }));
    await bus.close();
    const name = `${space.topicPrefix}${TOPICS.paymentsCommands}`;
    const committed = await space.withAdmin((admin) => admin.fetchOffsets({ groupId: name, topics: [name] }));
    expect(committed[0]?.partitions.map(({ offset }) => offset)).toContain('1');
  });

  it('given a topic, when it is asked whether it is empty, then it is until the first record', async () => {
    await expect(bus.contents(TOPICS.usersState).isEmpty()).resolves.toBe(true);
    await bus.publish(tell({ n: 1 }));
    await expect(bus.contents(TOPICS.usersState).isEmpty()).resolves.toBe(false);
    await expect(bus.contents(TOPICS.paymentsEvents).isEmpty()).resolves.toBe(true);
  });

  it('given the topics, when the broker is asked, then public events alone are compressed, as every client reads them', async () => {
    const compressionOf = (topic: string) =>
      space.withAdmin(async (admin) => {
        const type = kafkajs.ConfigResourceTypes.TOPIC;
        const resources = [{ type, name: `${space.topicPrefix}${topic}`, configNames: ['compression.type'] }];
        const { resources: answers } = await admin.describeConfigs({ resources, includeSynonyms: false });
        return answers[0]?.configEntries[0]?.configValue;
      });
    expect(await compressionOf(TOPICS.paymentsEvents)).toBe('gzip');
    expect(await compressionOf(TOPICS.paymentsCommands)).toBe('uncompressed');
  });

  it('given records, when all are deleted, then the topic is empty, and the offset of the next record goes on', async () => {
    const contents = bus.contents(TOPICS.paymentsEvents);
    await expect(contents.newest()).resolves.toEqual([]);
    await bus.publish({ ...tell({ n: 1 }), topic: TOPICS.paymentsEvents });
    await bus.publish({ ...tell({ n: 2 }), topic: TOPICS.paymentsEvents });
    const newest = await contents.newest();
    expect(newest.map(({ value }) => JSON.parse(value) as unknown)).toEqual([{ n: 2 }]);
    await expect(contents.deleteAll(() => false)).resolves.toBe(false);
    await expect(contents.isEmpty()).resolves.toBe(false);
    await expect(contents.deleteAll(() => true)).resolves.toBe(true);
    await expect(contents.isEmpty()).resolves.toBe(true);
    await expect(contents.newest()).resolves.toEqual([]);
    await bus.publish({ ...tell({ n: 3 }), topic: TOPICS.paymentsEvents });
    const offsets = await space.withAdmin((admin) =>
      admin.fetchTopicOffsets(`${space.topicPrefix}${TOPICS.paymentsEvents}`),
    );
    expect(offsets.filter(({ low, high }) => low !== high)).toMatchObject([{ low: '2', high: '3' }]);
  });
});
