import type { Admin } from 'kafkajs';
import { TopicEnds } from './topic-ends.js';
import { TopicWatch } from './topic-watch.js';

const TOPIC = 'payments.events.v1';
const silent = { debug: () => undefined, fatal: () => undefined };

/** Ends of the partitions of the topic at each check; null while it is missing. The last check is repeated. */
type Checks = readonly (readonly number[] | null)[];

/** Returns what the watch reported, once it reports a loss or has made one check more than the given ones. */
async function watched(checks: Checks): Promise<string> {
  let made = 0;
  let current: readonly number[] | null = null;
  const { promise, resolve } = Promise.withResolvers<string>();
  const reported: string[] = [];
  const admin = {
    connect: () => Promise.resolve(),
    disconnect: () => Promise.resolve(),
    listTopics: () => {
      current = checks[Math.min(made, checks.length - 1)] ?? null;
      made += 1;
      if (made > checks.length) resolve('nothing');
      return Promise.resolve(current === null ? [] : [TOPIC]);
    },
    fetchTopicOffsets: () =>
      Promise.resolve((current ?? []).map((high, partition) => ({ partition, high: String(high), low: '0' }))),
  } as unknown as Admin;
  const watch = new TopicWatch({
    topics: [TOPIC],
    ends: new TopicEnds({ createAdmin: () => admin, nameOf: (name) => name }),
    logger: silent,
    everyMs: 1,
    onLost: ({ message }) => resolve([...reported, message].join('; ')),
  });
  watch.onLoss(async () => void reported.push('listener'));
  watch.start();
  const outcome = await promise;
  await watch.stop();
  return outcome;
}

describe('the watch of topics', () => {
  it.each<[string, Checks, string]>([
    [
      'topics that grow',
      [
        [0, 0],
        [3, 0],
        [7, 2],
      ],
      'nothing',
    ],
    ['a topic that one broker does not know yet', [[3, 1], null, [4, 1]], 'nothing'],
    ['a topic that is missing', [[0, 0], null, null], 'listener; Kafka has lost topics'],
    [
      'a topic that was made anew',
      [
        [3, 1],
        [0, 9],
      ],
      `listener; Kafka has lost records of ${TOPIC}[0]`,
    ],
    [
      'a topic that was missing and made anew',
      [[3, 1], null, [0, 9]],
      `listener; Kafka has lost records of ${TOPIC}[0]`,
    ],
  ])('given %s, when it is checked, then the loss is reported after its listeners', async (_, checks, outcome) => {
    await expect(watched(checks)).resolves.toBe(outcome);
  });
});
