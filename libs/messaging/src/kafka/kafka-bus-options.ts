import type { ServiceName } from '@settle/contracts';
import type { ConsumerLimits } from '../event-consumer.js';
import type { BusOptions } from '../message-bus.js';
import type { KafkaAddress } from './kafka-address.js';

export interface KafkaBusOptions extends BusOptions {
  readonly address: KafkaAddress;
  /** Name of this client in the cluster's logs and metrics. */
  readonly clientId: string;
  /** Service whose topics are used; absent: all topics. */
  readonly principal?: ServiceName;
  /** Prefix of the names of topics and groups: several systems can share a cluster. */
  readonly topicPrefix?: string;
  /** After this silence of an instance its assignment goes to the others. */
  readonly sessionTimeoutMs: number;
  readonly events?: Omit<ConsumerLimits, 'waiting'>;
  /** Called when a reader has ended for good or the cluster has lost topics, which only a restart of the process repairs. */
  readonly onFatal?: (error: Error) => void;
}
