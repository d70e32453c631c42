import { kafkaAcls, topicsOf, type KafkaAcl, type KafkaTopic, type ServiceName } from '@settle/contracts';
import { LIMITS } from '@settle/config';
import type { Logger } from '@settle/observability';
import kafkajs, { type AclEntry, type Admin, type IResourceConfigEntry } from 'kafkajs';
import { runWithAdmin } from './run-with-admin.js';
import type { KafkaAddress } from './kafka-address.js';
import { createKafkaClient } from './kafka-connection.js';
import { isDenied, withRight } from './missing-right.js';

const { AclOperationTypes, AclPermissionTypes, AclResourceTypes, ResourcePatternTypes } = kafkajs;
const DAY_MS = 86_400_000;

interface ClusterOptions {
  readonly address: KafkaAddress;
  readonly logger: Logger;
  readonly topicPrefix?: string;
}

export interface CreateTopicsOptions extends ClusterOptions {
  /** Service whose topics are created; absent: all topics. */
  readonly principal?: ServiceName;
  /** Number of brokers that store each record. With more than one, a record is safe once two have it. */
  readonly replicationFactor?: number;
  /** Upper bound on partitions, for a small machine. The number cannot be changed later. */
  readonly partitionsAtMost?: number;
}

/**
 * Creates the missing topics of the table and applies the table's settings to all topics that this principal may alter.
 * Repeated and concurrent runs are harmless.
 * @throws one line if a topic has a different number of partitions, because keys would move to other instances; or if
 *   the authorizer does not allow this principal to create a missing topic
 */
export async function createKafkaTopics(options: CreateTopicsOptions): Promise<void> {
  const { address, logger } = options;
  const kafka = createKafkaClient(address, 'settle-topics', logger, LIMITS.kafka.sendRetries);
  await runWithAdmin(kafka, address.brokers, (admin) => create(admin, options));
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
  // Returns false, without an error, if another instance created it first.
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
    .map(({ topic: name, configEntries }) => ({ type: kafkajs.ConfigResourceTypes.TOPIC, name, configEntries }));
  // Answered once every partition has a leader: brokers learn of new topics a little after the controller.
  for (const { topic } of wanted) await admin.fetchTopicOffsets(topic);
  if (resources.length === 0) return;
  await admin.alterConfigs({ validateOnly: false, resources }).catch((error: unknown) => {
    // If services have separate rights, the operator who grants them also sets up the topics.
    if (!isDenied(error)) throw error;
    options.logger.debug('the settings of topics are left as they are: this principal may not alter them');
  });
}

interface CreationError extends Error {
  /** One entry for each topic that was not created. */
  readonly errors?: readonly { readonly topic: string; readonly type: string; readonly retriable?: boolean }[];
}

/** A broker serves clients shortly before the controller places replicas on it, and after a long pause. */
const PASSING_REASONS = new Set(['TOPIC_ALREADY_EXISTS', 'INVALID_REPLICATION_FACTOR']);

/**
 * Throws an error with each topic and the broker's reason, which kafkajs omits. It can be retried if the broker was too
 * slow, another instance was faster, or too few brokers have joined the cluster.
 */
export function explainCreation(error: CreationError): never {
  if (error.errors === undefined) throw error;
  const reasons = error.errors.map(({ topic, type }) => `${topic} (${type})`);
  const retriable = error.errors.every(({ type, retriable }) => retriable === true || PASSING_REASONS.has(type));
  const explained = new Error(`Kafka did not create the topics ${reasons.join(', ')}`, { cause: error });
  throw Object.assign(explained, { retriable });
}

/** An active segment is not deleted, so it is closed after a quarter of the retention time. */
function settingsOf(
  { keptMs, isCompacted, compression }: KafkaTopic,
  replicationFactor: number,
): IResourceConfigEntry[] {
  const ownSettings = isCompacted
    ? // Older records of a removed user are gone after a day, their tombstones a day later.
      { 'max.compaction.lag.ms': DAY_MS, 'delete.retention.ms': DAY_MS, 'segment.ms': DAY_MS }
    : { 'retention.ms': keptMs ?? -1, ...(keptMs === null ? {} : { 'segment.ms': Math.ceil(keptMs / 4) }) };
  const settings = {
    'cleanup.policy': isCompacted ? 'compact' : 'delete',
    // Stored with this codec whatever the producer uses, so that every consumer can read it.
    'compression.type': compression ?? 'uncompressed',
    'max.message.bytes': LIMITS.kafka.bytesPerBrokerRecord,
    'min.insync.replicas': Math.min(2, replicationFactor),
    ...ownSettings,
  };
  return Object.entries(settings).map(([name, value]) => ({ name, value: String(value) }));
}

/**
 * Grants each service's principal, `User:<service>`, its rights on topics and groups. Repeated runs are harmless. The
 * address names a principal that may alter the cluster's access control lists.
 * @throws one line if the cluster has no authorizer or does not permit it
 */
export async function grantKafkaRights({ address, topicPrefix = '', logger }: ClusterOptions): Promise<void> {
  const kafka = createKafkaClient(address, 'settle-rights', logger, LIMITS.kafka.sendRetries);
  const acl = kafkaAcls(topicPrefix).map(entryOf);
  try {
    await runWithAdmin(kafka, address.brokers, (admin) => admin.createAcls({ acl }));
  } catch (error) {
    throw new Error(`Kafka does not take the rights of the services: ${(error as Error).message}`, { cause: error });
  }
}

function entryOf({ principal, resource, name, isPrefix, operation }: KafkaAcl): AclEntry {
  return {
    principal: `User:${principal}`,
    host: '*',
    permissionType: AclPermissionTypes.ALLOW,
    operation: AclOperationTypes[operation.toUpperCase() as Uppercase<typeof operation>],
    resourceType: resource === 'topic' ? AclResourceTypes.TOPIC : AclResourceTypes.GROUP,
    resourceName: name,
    resourcePatternType: isPrefix ? ResourcePatternTypes.PREFIXED : ResourcePatternTypes.LITERAL,
  };
}
