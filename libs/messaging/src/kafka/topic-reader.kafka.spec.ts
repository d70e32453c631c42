import { TOPICS } from '@settle/contracts';
import { createLogger } from '@settle/observability';
import { createKafkaClient } from './kafka-connection.js';
import { kafkaSpace, signal, writeRecord, type KafkaSpace } from '../../test/kafka/kafka.fixture.js';
import { TopicReader } from './topic-reader.js';

const logger = createLogger({ level: 'silent', service: 'spec' });

describe('a reader of a topic', () => {
  let space: KafkaSpace;
  beforeEach(async () => void (space = await kafkaSpace()));
  afterEach(() => space.close());

  it('given a group that is busy, when a reader leaves before it has joined, then it never reads', async () => {
    const topic = `${space.topicPrefix}${TOPICS.paymentsCommands}`;
    const groupId = `${space.topicPrefix}busy`;
    const kafka = createKafkaClient(space.address, 'spec', logger);
    const [isBusy, maySettle] = [signal(), signal()];
    const busy = kafka.consumer({ groupId, sessionTimeout: 20_000, rebalanceTimeout: 20_000, heartbeatInterval: 100 });
    await busy.connect();
    await busy.subscribe({ topic, fromBeginning: true });
    await busy.run({
      eachMessage: async () => {
        isBusy.give();
        await maySettle.given;
      },
    });
    await writeRecord(space, TOPICS.paymentsCommands, { key: 'alice', value: '{}' });
    await isBusy.given;

    const shares: unknown[] = [];
    const reader = new TopicReader({
      ...{ kafka, logger, topic, groupId, sessionTimeoutMs: 2_000 },
      onBatch: async (batch) => void shares.push(batch),
      onAssignmentChange: (share) => shares.push(share),
      onFatal: (error) => shares.push(error),
    });
    const started = reader.start().then(
      () => 'reads',
      () => 'ended',
    );
    await reader.leave();
    maySettle.give();
    expect(await started).toBe('ended');
    expect(shares).toEqual([]);
    await busy.disconnect();
  });
});
