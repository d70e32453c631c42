import { topicsOf, type KafkaPrincipal, type KafkaTopic } from '@settle/contracts';
import { LIMITS } from '@settle/config';
import type { Logger } from '@settle/observability';
import kafkajs, { type Admin, type IResourceConfigEntry } from 'kafkajs';
import { askAdmin } from './ask-admin.js';
import type { KafkaAddress } from './kafka-address.js';
import { kafkaClient } from './kafka-connection.js';
import { isDenied, withRight } from './missing-right.js';

export interface CreateTopicsOptions {
  readonly address: KafkaAddress;
  readonly logger: Logger;
  /** The service whose topics are created; absent: all topics. */
  readonly principal?: KafkaPrincipal;
  readonly topicPrefix?: string;
  /** Brokers that hold each record. With more than one, a record is safe once two have it. */
  readonly replicationFactor?: number;
  /** Fewer partitions than the table says, for a small machine. They cannot be changed later. */
  readonly partitionsAtMost?: number;
}

/**
 * Makes the topics of the table that are missing, and gives all of them the table's settings where this principal may
 * alter them. Running it again, or several times at once, is harmless.
 * @throws one line when a topic has another number of partitions: then keys would move to other instances; when the
 * authorizer does not allow a topic that is missing to be created
 */
export async function createKafkaTopics(options: CreateTopicsOptions): Promise<void> {
  const { address, logger } = options;
  const kafka = kafkaClient(address, 'settle-topics', logger, LIMITS.kafka.sendRetries);
  await askAdmin(kafka, address.brokers, (admin) => create(admin, options));
}

async function create(admin: Admin, options: CreateTopicsOptions): Promise<void> {
  const { topicPrefix = '', replicationFactor = 1, partitionsAtMost = Infinity } = options;
  const wanted = topicsOf(options.principal).map((topic) => ({
    topic: `${topicPrefix}${topic.name}`,
    numPartitions: Math.min(topic.partitions, partitionsAtMost),
    replicationFactor,
    configEntries: settingsOf(topic, replicationFactor),
  }));
  const existing = new Set(await admin.listTopics());
  // False, not an error, when another instance was quicker.
  const absent = wanted.filter(({ topic }) => !existing.has(topic));
  const names = `topic ${absent.map(({ topic }) => topic).join(', ')}`;
  await withRight('Create', names, () => admin.createTopics({ topics: absent, waitForLeaders: false })).catch(
    explainCreation,
  );
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
  if (resources.length === 0) return;
  await admin.alterConfigs({ validateOnly: false, resources }).catch((error: unknown) => {
    // Where services have rights of their own, whoever gives them these also sets up the topics.
    if (!isDenied(error)) throw error;
    options.logger.debug('the settings of topics are left as they are: this principal may not alter them');
  });
}

interface CreationError extends Error {
  /** Of each topic that was not created. */
  readonly errors?: readonly { readonly topic: string; readonly type: string; readonly retriable?: boolean }[];
}

/** A broker answers clients a moment before the controller places replicas on it, and again after a long pause. */
const PASSING_REASONS = new Set(['TOPIC_ALREADY_EXISTS', 'INVALID_REPLICATION_FACTOR']);

/**
 * Names each topic and the broker's reason, which kafkajs leaves out. Where the broker was only too slow, another
 * instance was quicker, or too few brokers have joined the cluster yet, the error can be retried.
 */
export function explainCreation(error: CreationError): never {
  if (error.errors === undefined) throw error;
  const reasons = error.errors.map(({ topic, type }) => `${topic} (${type})`);
  const retriable = error.errors.every(({ type, retriable }) => retriable === true || PASSING_REASONS.has(type));
  const explained = new Error(`Kafka did not create the topics ${reasons.join(', ')}`, { cause: error });
  throw Object.assign(explained, { retriable });
}

/** A segment that is still written to is not removed, so it is closed after a quarter of the time. */
function settingsOf(
  { keptMs, isCompacted, compression }: KafkaTopic,
  replicationFactor: number,
): IResourceConfigEntry[] {
  const settings: Record<string, number | string> = {
    'cleanup.policy': isCompacted ? 'compact' : 'delete',
    // Whatever codec a producer uses: each reader can read what is stored.
    'compression.type': compression ?? 'uncompressed',
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
