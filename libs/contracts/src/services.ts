import { KAFKA_TOPICS } from './kafka-topics.js';

export type KafkaTopicKey = keyof typeof KAFKA_TOPICS;

/** The rights that one service needs on the cluster. A cluster with an authorizer lets its principal do no more. */
export interface KafkaRights {
  readonly produces: readonly KafkaTopicKey[];
  readonly consumes: readonly KafkaTopicKey[];
  /** Topics whose records it may delete, as after a restore. */
  readonly deletes: readonly KafkaTopicKey[];
  /** The prefixes of its consumer groups. */
  readonly groups: readonly string[];
}

/** A service, as launchers, settings, the composition and documents know it. */
interface Service {
  /** Short name: of its instances (`payments-1`) and of its database and role (`settle_payments`). */
  readonly name: string;
  /** The name of its instances on the command line of the stack. */
  readonly group: string;
  readonly hasDatabase: boolean;
  /** Port for requests over HTTP in a container, beside the one for health; null if it serves none. */
  readonly httpPort: number | null;
  /** Number of instances in the distributed shape, unless another one is asked for. */
  readonly instances: number;
  /** Settings without which it does not run, beside those of Kafka and of its database. */
  readonly needs: readonly ('AUTH_URL' | 'PUBLIC_URL')[];
  readonly kafka: KafkaRights;
}

const { replies, paymentsCommands, paymentsQueries, usersRequests, authRequests, authRevocations } = KAFKA_TOPICS;

/** Every service, by its project, which is also its principal on Kafka. */
export const SERVICES = {
  'api-gateway': {
    name: 'gateway',
    group: 'gateways',
    hasDatabase: false,
    httpPort: 3_000,
    instances: 1,
    needs: ['AUTH_URL'],
    kafka: {
      produces: ['paymentsCommands', 'paymentsQueries', 'usersRequests', 'authRequests', 'deadLetters'],
      consumes: ['replies', 'authRevocations'],
      deletes: [],
      groups: [replies.name, authRevocations.name],
    },
  },
  'payments-service': {
    name: 'payments',
    group: 'payments',
    hasDatabase: true,
    httpPort: null,
    instances: 1,
    needs: [],
    kafka: {
      // It requests e-mails from auth-service, which alone knows the users' sign-in addresses.
      produces: [
        'paymentsCommands',
        'authRequests',
        'replies',
        'paymentsEvents',
        'ledgerEntries',
        'usersLifecycle',
        'ledgerWatermarks',
        'deadLetters',
      ],
      consumes: [
        'paymentsCommands',
        'paymentsQueries',
        'usersState',
        'paymentsEvents',
        'ledgerEntries',
        'usersLifecycle',
        'replies',
      ],
      deletes: ['paymentsEvents', 'ledgerEntries', 'usersLifecycle'],
      groups: [paymentsCommands.name, paymentsQueries.name, replies.name, 'payments-', 'settle-reading-'],
    },
  },
  'users-service': {
    name: 'users',
    group: 'users',
    hasDatabase: true,
    httpPort: null,
    instances: 1,
    // Links of pictures begin with it.
    needs: ['PUBLIC_URL'],
    kafka: {
      produces: ['paymentsQueries', 'replies', 'usersState', 'deadLetters'],
      consumes: ['usersRequests', 'replies'],
      deletes: [],
      groups: [usersRequests.name, replies.name],
    },
  },
  'auth-service': {
    name: 'auth',
    group: 'auth',
    hasDatabase: true,
    httpPort: 3_001,
    // Without it no token can be checked, and one alone takes seconds to be replaced.
    instances: 2,
    needs: ['PUBLIC_URL'],
    // It requests deposits and withdrawals from payments-service.
    kafka: {
      produces: ['paymentsCommands', 'paymentsQueries', 'usersRequests', 'replies', 'authRevocations', 'deadLetters'],
      consumes: ['authRequests', 'replies'],
      deletes: [],
      groups: [authRequests.name, replies.name],
    },
  },
} as const satisfies Record<string, Service>;

export type ServiceName = keyof typeof SERVICES;

type WithDatabase<Row> = Row extends { readonly hasDatabase: true; readonly name: infer Name } ? Name : never;

/** Short name of a service that has a database. */
export type DatabaseName = WithDatabase<(typeof SERVICES)[ServiceName]>;

export const SERVICE_NAMES = Object.keys(SERVICES) as ServiceName[];

/** Projects of the services that have a database. */
export const DATABASE_SERVICES = SERVICE_NAMES.filter((service) => SERVICES[service].hasDatabase);

/** Returns the short name of a service, which must have a database. */
export const databaseNameOf = (service: ServiceName): DatabaseName => SERVICES[service].name as DatabaseName;
