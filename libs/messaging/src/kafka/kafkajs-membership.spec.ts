import { createRequire } from 'node:module';
import { jest } from '@jest/globals';
import { patchKafkajs } from './kafkajs-patches.js';

interface Group {
  memberId: string | null;
  connect(): Promise<void>;
  joinAndSync(): Promise<void>;
  leave(): Promise<void>;
  heartbeat(options: { readonly interval: number }): Promise<void>;
}

const require = createRequire(import.meta.url);
const ConsumerGroup = require('kafkajs/src/consumer/consumerGroup') as new (options: object) => Group;
const { KafkaJSGroupCoordinatorNotFound } = require('kafkajs/src/errors') as Record<
  string,
  new (message: string) => Error
>;
const quiet = { namespace: () => quiet, debug() {}, info() {}, warn() {}, error() {} };

/** A cluster whose group knows its members by name, as far as joining and leaving go. */
function cluster() {
  const asked: string[] = [];
  const state = { isAway: false, asked, heartbeats: 0 };
  const coordinator = {
    async joinGroup({ memberId }: { memberId: string }) {
      asked.push(memberId);
      const id = memberId || `member-${asked.length}`;
      return { generationId: 1, leaderId: 'another', memberId: id, members: [], groupProtocol: 'any' };
    },
    async heartbeat() {
      state.heartbeats += 1;
    },
    syncGroup: async () => ({ memberAssignment: Buffer.alloc(0) }),
    async leaveGroup() {
      if (state.isAway) throw new Error('away');
    },
  };
  return Object.assign(state, {
    async connect() {},
    async refreshMetadataIfNecessary() {},
    findTopicPartitionMetadata: () => [],
    committedOffsets: () => ({}),
    async findGroupCoordinator() {
      if (state.isAway) throw new KafkaJSGroupCoordinatorNotFound!('no coordinator');
      return coordinator;
    },
  });
}

/** One life of a reader: kafkajs makes a new one at every start. */
async function life(of: object): Promise<Group> {
  const group = new ConsumerGroup({
    cluster: of,
    groupId: 'group',
    topics: [],
    topicConfigurations: {},
    logger: quiet,
    instrumentationEmitter: { emit() {} },
    assigners: [],
    retry: { retries: 0 },
  });
  await group.connect();
  return group;
}

describe('the membership of readers of kafkajs', () => {
  beforeAll(() => {
    expect([patchKafkajs(), patchKafkajs()]).toEqual([true, true]);
  });

  it('given a reader that could not leave, when it starts again, then the group knows it', async () => {
    const one = cluster();
    const first = await life(one);
    await first.joinAndSync();
    one.isAway = true;
    await expect(first.leave()).rejects.toThrow('away');
    one.isAway = false;
    await (await life(one)).joinAndSync();
    expect(one.asked).toEqual(['', 'member-1']);
  });

  it('given a reader that has left, when it starts again, then it is a new member', async () => {
    const one = cluster();
    const first = await life(one);
    await first.joinAndSync();
    await first.leave();
    await (await life(one)).joinAndSync();
    expect(one.asked).toEqual(['', '']);
  });

  it('given two readers, when the second joins, then it is not taken for the first', async () => {
    const [one, other] = [cluster(), cluster()];
    await (await life(one)).joinAndSync();
    await (await life(other)).joinAndSync();
    expect(other.asked).toEqual(['']);
  });

  it('given a clock that goes back, when a heartbeat is due, then it is sent', async () => {
    const one = cluster();
    const reader = await life(one);
    await reader.joinAndSync();
    const earlierMs = Date.now() - 3_600_000;
    const clock = jest.spyOn(Date, 'now').mockReturnValue(earlierMs);
    await reader.heartbeat({ interval: 250 });
    expect(one.heartbeats).toBe(1);
    await reader.heartbeat({ interval: 250 });
    expect(one.heartbeats).toBe(1);
    clock.mockReturnValue(earlierMs + 250);
    await reader.heartbeat({ interval: 250 });
    expect(one.heartbeats).toBe(2);
    clock.mockRestore();
  });

  it('given no coordinator of the group, when a reader joins, then it may try again', async () => {
    const one = cluster();
    one.isAway = true;
    await expect((await life(one)).joinAndSync()).rejects.toMatchObject({ retriable: true });
  });
});
