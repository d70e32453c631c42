import { KAFKA_TOPICS, SettleError, TOPICS } from '@settle/contracts';
import type { KafkaBus, RequestEnvelope } from '../index.js';
import {
  SESSION_TIMEOUT_MS,
  inProcessToKill,
  kafkaSpace,
  signal,
  type KafkaSpace,
} from '../../test/kafka/kafka.fixture.js';

const topic = TOPICS.paymentsCommands;
const keys = Array.from({ length: 40 }, (_, n) => `user-${n}`);

const ask = (key: string, payload: object = {}, timeoutMs = 10_000): RequestEnvelope => ({
  topic,
  pattern: 'spec.who',
  key,
  payload,
  requestId: 'r',
  timeoutMs,
});

describe('instances that share the keys of a topic', () => {
  let space: KafkaSpace;
  beforeEach(async () => void (space = await kafkaSpace()));
  afterEach(() => space.close());

  /** An instance that answers with its name, and the assignments it receives. */
  async function instance(name: string) {
    const changes: string[][] = [];
    const waiters = new Map<number, () => void>();
    /** The keys that moved, change by change, once there are so many. */
    const heard = async (count: number): Promise<readonly string[][]> => {
      if (changes.length < count) await new Promise<void>((resolve) => waiters.set(count, resolve));
      return changes;
    };
    const bus = await space.connect();
    bus.onAssignmentChange(topic, (isMoved) => waiters.get(changes.push(keys.filter(isMoved)))?.());
    bus.handle(topic, 'spec.who', async () => ({ name }));
    await bus.ready();
    return { bus, heard };
  }

  const ownersOf = (key: string, buses: readonly KafkaBus[]) => buses.filter((bus) => bus.owns(topic, key)).length;

  it('given two instances, when keys are asked for, then each has one owner, and that one answers', async () => {
    const caller = await space.connect();
    const one = await instance('one');
    const two = await instance('two');
    const answers = await Promise.all(keys.map((key) => caller.request(ask(key))));
    const buses = [one.bus, two.bus];
    expect(keys.map((key) => ownersOf(key, buses))).toEqual(keys.map(() => 1));
    expect(answers).toEqual(keys.map((key) => ({ name: one.bus.owns(topic, key) ? 'one' : 'two' })));
    expect(new Set(answers.map((answer) => (answer as { name: string }).name))).toEqual(new Set(['one', 'two']));
    expect(caller.owns(topic, 'user-1')).toBe(false);
  });

  it('given one instance, when a second comes and goes, then both hear of their shares', async () => {
    const one = await instance('one');
    expect(await one.heard(1)).toEqual([keys]);
    const two = await instance('two');
    const [moved = []] = await two.heard(1);
    expect(moved).toEqual(keys.filter((key) => two.bus.owns(topic, key)));
    expect([0, keys.length]).not.toContain(moved.length);
    expect((await one.heard(2)).slice(1)).toEqual([moved]);
    await two.bus.close();
    expect((await one.heard(3)).slice(2)).toEqual([moved]);
    expect(keys.every((key) => one.bus.owns(topic, key))).toBe(true);
  });

  it('given requests without pause, when instances come and go, then every one is answered', async () => {
    const caller = await space.connect();
    await instance('one');
    let isOver = false;
    let answered = 0;
    const asking = keys.map(async (key) => {
      while (!isOver) {
        await caller.request(ask(key));
        answered += 1;
      }
    });
    const two = await instance('two');
    await two.bus.close();
    await instance('three');
    isOver = true;
    await Promise.all(asking);
    expect(answered).toBeGreaterThan(keys.length);
  });

  it('given a request in progress, when its instance is killed, then another answers it', async () => {
    const caller = await space.connect();
    const killed = await inProcessToKill(space, 'bus.handle(topic, "spec.who", began)', topic);
    const answer = caller.request(ask('alice', {}, 20_000));
    await killed.began;
    const heir = await space.connect();
    heir.handle(topic, 'spec.who', async () => ({ name: 'heir' }));
    await killed.kill();
    await expect(answer).resolves.toEqual({ name: 'heir' });
  });

  it('given a request that the killed may have done, when the heir refuses it, then its outcome is unknown', async () => {
    const caller = await space.connect();
    const killed = await inProcessToKill(space, 'bus.handle(topic, "spec.who", began)', topic);
    const answer = caller.request(ask('alice', {}, 20_000));
    await killed.began;
    const heir = await space.connect();
    heir.handle(topic, 'spec.who', async () => {
      throw new SettleError('service_unavailable', 'Nothing was begun.');
    });
    await killed.kill();
    await expect(answer).rejects.toMatchObject({ code: 'outcome_unknown' });
    await expect(caller.request(ask('alice'))).rejects.toMatchObject({ code: 'service_unavailable' });
  });

  it('given a refused request, when its instance is killed at once, then the heir does not begin it', async () => {
    const caller = await space.connect();
    const refusing = `async () => { throw new SettleError('service_unavailable', 'Nothing was begun.'); }`;
    const killed = await inProcessToKill(space, `bus.handle(topic, "spec.who", ${refusing})`, topic);
    const refused = caller.request(ask('alice', { n: 1 }, 20_000));
    await expect(refused).rejects.toMatchObject({ code: 'service_unavailable' });
    await killed.kill();
    const begun: object[] = [];
    const heir = await space.connect();
    heir.handle(topic, 'spec.who', async (payload) => begun.push(payload) && {});
    await caller.request(ask('alice', { n: 2 }));
    expect(begun).toEqual([{ n: 2 }]);
  });

  it('given an instance that stood still and lost its share, when it refuses, then the outcome is unknown', async () => {
    const caller = await space.connect();
    const still = await inProcessToKill(
      space,
      `bus.handle(topic, "spec.who", async () => {
        console.log('began');
        // Nothing of this process goes on meanwhile, as when its machine stands still.
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ${2 * SESSION_TIMEOUT_MS});
        throw new SettleError('service_unavailable', 'Nothing was begun.');
      })`,
      topic,
    );
    const answer = caller.request(ask('alice', {}, 20_000));
    await still.began;
    const heir = await space.connect();
    const taken = signal();
    heir.handle(topic, 'spec.who', () => new Promise(() => taken.give()));
    await taken.given;
    await expect(answer).rejects.toMatchObject({ code: 'outcome_unknown' });
    await still.kill();
  });

  it('given an instance that closes and still works, when another comes, then that one has the whole share soon', async () => {
    const caller = await space.connect();
    const working = await space.connect({ closeWaitMs: 10_000 });
    const taken = signal();
    working.handle(topic, 'spec.who', () => new Promise(() => taken.give()));
    await working.ready();
    const begun = caller.request(ask('alice', {}, 20_000));
    await taken.given;
    let isClosed = false;
    const closing = working.close().finally(() => (isClosed = true));
    const heir = await instance('heir');
    const answers = await Promise.all([begun, ...keys.map((key) => caller.request(ask(key, {}, 9_000)))]);
    expect(new Set(answers.map((answer) => (answer as { name: string }).name))).toEqual(new Set(['heir']));
    expect([isClosed, keys.every((key) => heir.bus.owns(topic, key) && !working.owns(topic, key))]).toEqual([
      false,
      true,
    ]);
    await closing;
  });

  it('given a request that never ends, when its instance closes, then it leaves its share to others all the same', async () => {
    const caller = await space.connect();
    const stuck = await space.connect({ closeWaitMs: 5_000 });
    const taken = signal();
    stuck.handle(topic, 'spec.who', () => new Promise(() => taken.give()));
    await stuck.ready();
    caller.request(ask('alice')).catch(() => undefined);
    await taken.given;
    await stuck.close();
    const heir = await instance('heir');
    expect(keys.filter((key) => !heir.bus.owns(topic, key))).toEqual([]);
  });

  it('given an event in progress, when its instance is killed, then another of the group gets it', async () => {
    const caller = await space.connect();
    const killed = await inProcessToKill(space, 'bus.consume(topic, "spec.told", "group", began)', TOPICS.usersState);
    await caller.publish({ topic: TOPICS.usersState, pattern: 'spec.told', key: 'a', payload: { n: 1 } });
    await killed.began;
    const told = signal<unknown>();
    const heir = await space.connect();
    heir.consume(TOPICS.usersState, 'spec.told', 'group', async ([event]) => told.give(event?.payload));
    await killed.kill();
    expect(await told.given).toEqual({ n: 1 });
  });

  it('given a session of 2 s, when an instance is killed, then its keys are answered again once the session has ended', async () => {
    const caller = await space.connect();
    const killed = await inProcessToKill(space, 'bus.handle(topic, "spec.who", async () => ({}))', topic);
    await instance('heir');
    await Promise.all(keys.map((key) => caller.request(ask(key))));
    await killed.kill();
    const killedAt = performance.now();
    await Promise.all(keys.map((key) => caller.request(ask(key, {}, 40_000))));
    // Kafka's default session would last 45 s; the rest is for a busy machine.
    expect(performance.now() - killedAt).toBeLessThan(10 * SESSION_TIMEOUT_MS);
  });
});

describe('the topics of a cluster', () => {
  it('given the topics, when they are made again, then nothing changes; with other counts it is refused', async () => {
    const space = await kafkaSpace();
    await space.createTopics({});
    await expect(space.createTopics({ partitionsAtMost: 3 })).rejects.toThrow(/has 4 partitions and must have 3$/);
    const name = `${space.topicPrefix}${KAFKA_TOPICS.usersState.name}`;
    const policy = await space.withAdmin(async (admin) => {
      const { resources } = await admin.describeConfigs({ includeSynonyms: false, resources: [{ type: 2, name }] });
      return resources[0]?.configEntries.find(({ configName }) => configName === 'cleanup.policy')?.configValue;
    });
    expect(policy).toBe('compact');
    await space.close();
  });

  it('given no topics, when a bus connects, then one line names them', async () => {
    const space = await kafkaSpace();
    await expect(space.connect({ topicPrefix: 'unknown.' })).rejects.toThrow(/^Kafka has no topic unknown\.payments/);
    await space.close();
  });
});
