import { KAFKA_TOPICS, type KafkaTopic } from './kafka-topics.js';
import { PUBLIC_TOPICS } from './public-events/public-topics.js';
import { SERVICES, SERVICE_NAMES, type KafkaRights, type KafkaTopicKey, type ServiceName } from './services.js';

/** The topics that a service uses, in the order of the table of topics; all of them without a service. */
export function topicsOf(principal?: ServiceName): readonly KafkaTopic[] {
  const keys = Object.keys(KAFKA_TOPICS) as KafkaTopicKey[];
  if (principal === undefined) return keys.map((key) => KAFKA_TOPICS[key]);
  const { produces, consumes } = SERVICES[principal].kafka;
  const used = new Set<string>([...produces, ...consumes]);
  return keys.filter((key) => used.has(key)).map((key) => KAFKA_TOPICS[key]);
}

const READABLE: ReadonlySet<KafkaTopic> = new Set(PUBLIC_TOPICS.map(({ topic }) => topic));

/** Consumers that are not of the product: they read what is published without personal data, and nothing else. */
const ANALYSTS: KafkaRights = {
  produces: [],
  consumes: (Object.keys(KAFKA_TOPICS) as KafkaTopicKey[]).filter((key) => READABLE.has(KAFKA_TOPICS[key])),
  deletes: [],
  groups: ['analysts-'],
};

export type KafkaPrincipal = ServiceName | 'analysts';

/** Every principal that has rights of its own. */
export const KAFKA_PRINCIPALS: readonly KafkaPrincipal[] = [...SERVICE_NAMES, 'analysts'];

/** One entry of an access control list that allows something from everywhere. */
export interface KafkaAcl {
  readonly principal: KafkaPrincipal;
  readonly resource: 'topic' | 'group';
  readonly name: string;
  /** Whether every name that begins so is meant. */
  readonly isPrefix: boolean;
  readonly operation: 'write' | 'read' | 'delete';
}

/**
 * The entries that give every service its rights. Write and read include describe.
 * @param topicPrefix stands before the names of topics and groups
 */
export function kafkaAcls(topicPrefix: string): readonly KafkaAcl[] {
  return SERVICE_NAMES.flatMap((principal) => kafkaAclsOf(principal, topicPrefix));
}

/** The entries that give one principal its rights. @param topicPrefix as above */
export function kafkaAclsOf(principal: KafkaPrincipal, topicPrefix: string): readonly KafkaAcl[] {
  const rights: KafkaRights = principal === 'analysts' ? ANALYSTS : SERVICES[principal].kafka;
  const topics = (keys: readonly KafkaTopicKey[], operation: KafkaAcl['operation']): KafkaAcl[] =>
    keys.map((key) => {
      const name = `${topicPrefix}${KAFKA_TOPICS[key].name}`;
      return { principal, resource: 'topic', name, isPrefix: false, operation };
    });
  const groups = rights.groups.map((group): KafkaAcl => {
    return { principal, resource: 'group', name: `${topicPrefix}${group}`, isPrefix: true, operation: 'read' };
  });
  return [
    ...topics(rights.produces, 'write'),
    ...topics(rights.consumes, 'read'),
    ...topics(rights.deletes, 'delete'),
    ...groups,
  ];
}
