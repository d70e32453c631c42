import { createRequire } from 'node:module';
import type { Admin, Kafka } from 'kafkajs';
import { runWithAdmin } from './run-with-admin.js';

const require = createRequire(import.meta.url);
const createAdmin = require('kafkajs/src/admin') as (parts: object) => Admin;
const quiet = { namespace: () => quiet, debug() {}, info() {}, warn() {}, error() {} };
const METADATA = { topicMetadata: [{ topic: 'a', partitionMetadata: [] }] };

/** kafkajs' own admin client on a cluster that gives null for metadata, as it does while a topic has no leader. */
function kafkaWithMetadata(...metadata: readonly (object | null)[]): Kafka {
  const left = [...metadata];
  const cluster = { async connect() {}, async disconnect() {}, metadata: async () => left.shift() };
  return { admin: () => createAdmin({ logger: quiet, cluster }) } as unknown as Kafka;
}

describe('runWithAdmin', () => {
  it.each<[string, (admin: Admin) => Promise<unknown>, unknown]>([
    [
      'its partitions',
      (admin) => admin.fetchTopicMetadata({ topics: ['a'] }),
      { topics: [{ name: 'a', partitions: [] }] },
    ],
    ['the names of topics', (admin) => admin.listTopics(), ['a']],
  ])(
    'given a topic without a leader, when %s are asked for, then they come once it has one',
    async (_, ask, answer) => {
      expect(await runWithAdmin(kafkaWithMetadata(null, null, METADATA), ['here:1'], ask)).toEqual(answer);
    },
  );

  it('given any other bug, when it is met, then it is thrown at once', async () => {
    const ask = () => Promise.reject(new TypeError('x is not a function'));
    await expect(runWithAdmin(kafkaWithMetadata(), ['here:1'], ask)).rejects.toThrow('x is not a function');
  });
});
