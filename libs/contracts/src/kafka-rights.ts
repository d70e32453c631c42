import { KAFKA_TOPICS, type KafkaTopic } from './kafka-topics.js';

export type KafkaTopicKey = keyof typeof KAFKA_TOPICS;

/** The rights that one service needs on the cluster. A cluster with an authorizer lets its principal do no more. */
export interface KafkaRights {
  readonly produces: readonly KafkaTopicKey[];
  readonly consumes: readonly KafkaTopicKey[];
  /** Topics whose records it may delete, as after a restore. */
  readonly deletes: readonly KafkaTopicKey[];
  /** The prefix of its consumer groups. */
  readonly groups: readonly string[];
}

const { replies, paymentsCommands, paymentsQueries, usersRequests, authRequests, authRevocations } = KAFKA_TOPICS;

/** The rights of each service, by the name of the service, which is also that of its principal. */
export const KAFKA_RIGHTS = {
  'api-gateway': {
    produces: ['paymentsCommands', 'paymentsQueries', 'usersRequests', 'authRequests', 'deadLetters'],
    consumes: ['replies', 'authRevocations'],
    deletes: [],
    groups: [replies.name, authRevocations.name],
  },
  // It asks payments for the first balance of a test card.
  'auth-service': {
    produces: ['paymentsCommands', 'paymentsQueries', 'usersRequests', 'replies', 'authRevocations', 'deadLetters'],
    consumes: ['authRequests', 'replies'],
    deletes: [],
    groups: [authRequests.name, replies.name],
  },
  'users-service': {
    produces: ['paymentsQueries', 'replies', 'usersState', 'deadLetters'],
    consumes: ['usersRequests', 'replies'],
    deletes: [],
    groups: [usersRequests.name, replies.name],
  },
  'payments-service': {
    produces: ['paymentsCommands', 'replies', 'paymentsEvents', 'deadLetters'],
    consumes: ['paymentsCommands', 'paymentsQueries', 'usersState', 'paymentsEvents', 'replies'],
    deletes: ['paymentsEvents'],
    groups: [paymentsCommands.name, paymentsQueries.name, replies.name, 'payments-', 'settle-reading-'],
  },
} as const satisfies Record<string, KafkaRights>;

export type KafkaPrincipal = keyof typeof KAFKA_RIGHTS;

/** The topics that a service uses, in the order of the table of topics; all of them without a service. */
export function topicsOf(principal?: KafkaPrincipal): readonly KafkaTopic[] {
  const keys = Object.keys(KAFKA_TOPICS) as KafkaTopicKey[];
  if (principal === undefined) return keys.map((key) => KAFKA_TOPICS[key]);
  const { produces, consumes } = KAFKA_RIGHTS[principal];
  const used = new Set<string>([...produces, ...consumes]);
  return keys.filter((key) => used.has(key)).map((key) => KAFKA_TOPICS[key]);
}

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
  return (Object.keys(KAFKA_RIGHTS) as KafkaPrincipal[]).flatMap((principal) => {
    const rights: KafkaRights = KAFKA_RIGHTS[principal];
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
  });
}
