import { createLogger } from '@settle/observability';
import type { Admin, Consumer, ConsumerConfig, Kafka } from 'kafkajs';
import type { KafkaParts } from './kafka-parts.js';
import { TopicContents } from './topic-contents.js';

const logger = createLogger({ level: 'silent', service: 'spec' });

/** Parts on a cluster that has one record and refuses every consumer; `configs` gets their configurations. */
function partsWithoutConsumers(sessionTimeoutMs: number, configs: ConsumerConfig[]): KafkaParts {
  const consumer = {
    events: {},
    on: () => () => undefined,
    connect: () => Promise.reject(new Error('The session timeout is not within an acceptable range')),
    pause: () => undefined,
    disconnect: async () => undefined,
  } as unknown as Consumer;
  const kafka: Partial<Kafka> = {
    consumer(config) {
      configs.push(config);
      return consumer;
    },
  };
  const admin: Partial<Admin> = {
    fetchTopicOffsets: async () => [{ partition: 0, offset: '1', low: '0', high: '1' }],
  };
  const parts: Partial<KafkaParts> = {
    reader: { kafka: kafka as Kafka, logger, sessionTimeoutMs, onFatal: () => undefined },
    nameOf: (topic) => topic,
    withAdmin: (work) => work(admin as Admin),
  };
  return parts as KafkaParts;
}

describe('the contents of a topic', () => {
  it('given a session timeout of the cluster, when the newest records are read, then their reader has it', async () => {
    const configs: ConsumerConfig[] = [];
    const parts = partsWithoutConsumers(20_000, configs);
    const contents = new TopicContents(parts, { topicPrefix: '', topic: 'payments.events.v1' });
    await expect(contents.newest()).rejects.toThrow('not within an acceptable range');
    expect(configs.map(({ sessionTimeout }) => sessionTimeout)).toEqual([20_000]);
  });
});
