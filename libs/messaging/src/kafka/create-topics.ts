import { KAFKA_TOPICS, type KafkaTopic } from '@settle/contracts';
import { LIMITS } from '@settle/config';
import type { Logger } from '@settle/observability';
import kafkajs, { type Admin, type IResourceConfigEntry } from 'kafkajs';
import { askAdmin } from './ask-admin.js';
import { kafkaClient, type KafkaAddress } from './kafka-connection.js';

export interface CreateTopicsOptions {
  readonly address: KafkaAddress;
  readonly logger: Logger;
  readonly topicPrefix?: string;
  /** Brokers that hold each record. With more than one, a record is safe once two have it. */
  readonly replicationFactor?: number;
  /** Fewer partitions than the table says, for a small machine. They cannot be changed later. */
  readonly partitionsAtMost?: number;
}

/**
 * Makes the topics of the table that are missing, and gives all of them the table's settings. Running it again, or
 * several times at once, is harmless.
 * @throws one line when a topic has another number of partitions: then keys would move to other instances
 */
export async function createKafkaTopics(options: CreateTopicsOptions): Promise<void> {
  const { address, logger } = options;
  await askAdmin(kafkaClient(address, 'settle-topics', logger), address.brokers, (admin) => create(admin, options));
}

async function create(admin: Admin, options: CreateTopicsOptions): Promise<void> {
  const { topicPrefix = '', replicationFactor = 1, partitionsAtMost = Infinity } = options;
  const wanted = Object.values(KAFKA_TOPICS).map((topic) => ({
    topic: `${topicPrefix}${topic.name}`,
    numPartitions: Math.min(topic.partitions, partitionsAtMost),
    replicationFactor,
    configEntries: settingsOf(topic, replicationFactor),
  }));
  const existing = new Set(await admin.listTopics());
  // False, not an error, when another instance was quicker.
  await admin.createTopics({ topics: wanted.filter(({ topic }) => !existing.has(topic)), waitForLeaders: false });
  const { topics } = await admin.fetchTopicMetadata({ topics: wanted.map(({ topic }) => topic) });
  for (const { topic, numPartitions } of wanted) {
    const count = topics.find(({ name }) => name === topic)?.partitions.length;
    if (count === numPartitions) continue;
    throw new Error(`Kafka topic ${topic} has ${count} partitions and must have ${numPartitions}`);
  }
  const resources = wanted
    .filter(({ topic }) => existing.has(topic))
    .map(({ topic, configEntries }) => ({
      type: kafkajs.ConfigResourceTypes.TOPIC,
      name: topic,
      configEntries,
    }));
  // Answered once every partition is led: what the controller has made reaches the brokers a little later.
  for (const { topic } of wanted) await admin.fetchTopicOffsets(topic);
  if (resources.length > 0) await admin.alterConfigs({ validateOnly: false, resources });
}

/** A segment that is still written to is not removed, so it is closed after a quarter of the time. */
function settingsOf({ keptMs, isCompacted }: KafkaTopic, replicationFactor: number): IResourceConfigEntry[] {
  const settings: Record<string, number | string> = {
    'cleanup.policy': isCompacted ? 'compact' : 'delete',
    // Whatever codec a producer uses, each reader can do without it.
    'compression.type': 'uncompressed',
    'max.message.bytes': LIMITS.kafka.bytesPerBrokerRecord,
    'min.insync.replicas': Math.min(2, replicationFactor),
  };
  if (isCompacted) {
    // A removed person's older records are gone after a day, and their tombstones a day later.
    Object.assign(settings, { 'max.compaction.lag.ms': DAY_MS, 'delete.retention.ms': DAY_MS, 'segment.ms': DAY_MS });
  } else {
    settings['retention.ms'] = keptMs ?? -1;
    if (keptMs !== null) settings['segment.ms'] = Math.ceil(keptMs / 4);
  }
  return Object.entries(settings).map(([name, value]) => ({ name, value: String(value) }));
}

const DAY_MS = 86_400_000;
