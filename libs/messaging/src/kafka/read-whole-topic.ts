import { LIMITS } from '@settle/config';
import { runWithAdmin } from './run-with-admin.js';
import type { KafkaAddress } from './kafka-address.js';
import { createKafkaClient } from './kafka-connection.js';
import { readPartitions, type PartitionsReading } from './read-partitions.js';

export interface WholeTopicOptions extends Omit<PartitionsReading, 'kafka'> {
  readonly address: KafkaAddress;
  /** Called with the number of records before the first is read. */
  readonly onCount: (records: number) => void;
}

/**
 * Reads a topic from its first record to its current end: each partition in order, partitions concurrently. Leaves no
 * state in the cluster. Errors: one line, if no broker responds or no record arrives for too long.
 */
export async function readWholeTopic(options: WholeTopicOptions): Promise<void> {
  const { address, topicPrefix, logger, onCount } = options;
  const kafka = createKafkaClient(address, 'settle-reading', logger);
  const topic = `${topicPrefix}${options.topic}`;
  const givingUp = createKafkaClient(address, 'settle-reading', logger, LIMITS.kafka.sendRetries);
  const partitions = await runWithAdmin(givingUp, address.brokers, (admin) => admin.fetchTopicOffsets(topic));
  const ranges = partitions.map(({ partition, low, high }) => ({ partition, first: Number(low), end: Number(high) }));
  onCount(ranges.reduce((sum, { first, end }) => sum + end - first, 0));
  await readPartitions({ ...options, kafka }, ranges);
}
