import { LIMITS } from '@settle/config';
import { KAFKA_TOPICS, type KafkaTopic } from '@settle/contracts';
import type { Admin } from 'kafkajs';
import { RequestMeter } from '../request-meter.js';
import { runWithAdmin } from './run-with-admin.js';
import type { KafkaBusOptions } from './kafka-bus.js';
import { createKafkaClient } from './kafka-connection.js';
import { isDenied, missingRight } from './missing-right.js';
import { TopicProducers } from './topic-producers.js';
import type { TopicReaderOptions } from './topic-reader.js';

const REQUEST_TOPICS = Object.values<KafkaTopic>(KAFKA_TOPICS)
  .filter(({ carries }) => carries === 'requests' || carries === 'replies')
  .map(({ name }) => name);

/** Parts that the readers of one bus share. */
export interface KafkaParts {
  readonly reader: Pick<TopicReaderOptions, 'kafka' | 'logger' | 'sessionTimeoutMs' | 'onFatal'>;
  readonly producers: TopicProducers;
  /** Meter of the requests that this process handles. */
  readonly handled: RequestMeter;
  readonly repliesTopic: string;
  /** Returns the topic's name on the cluster. */
  nameOf(topic: string): string;
  /** @see runWithAdmin */
  withAdmin<Result>(work: (admin: Admin) => Promise<Result>): Promise<Result>;
}

/** Creates the parts of a bus without connecting. */
export function createKafkaParts(options: KafkaBusOptions): KafkaParts {
  const { address, clientId, logger, topicPrefix = '', sessionTimeoutMs = LIMITS.kafka.sessionTimeoutMs } = options;
  const nameOf = (topic: string): string => `${topicPrefix}${topic}`;
  // Readers retry forever; sending and requesting end after a bounded time.
  const kafka = createKafkaClient(address, clientId, logger);
  const boundedKafka = createKafkaClient(address, clientId, logger, LIMITS.kafka.sendRetries);
  const onFailure = (error: unknown, topic: string) => {
    const err = isDenied(error) ? missingRight('Write', `topic ${topic}`, error) : error;
    logger.error({ err, topic }, 'messages not stored');
  };
  const producers = new TopicProducers({
    kafka: boundedKafka,
    requestTopics: new Set(REQUEST_TOPICS.map(nameOf)),
    onFailure,
  });
  const onFatal = (error: Error): void => {
    logger.fatal({ err: error }, 'a reader of Kafka ended for good: this process must start anew');
    options.onFatal?.(error);
  };
  return {
    reader: { kafka, logger, sessionTimeoutMs, onFatal },
    producers,
    handled: new RequestMeter(options.metrics, 'answered'),
    repliesTopic: nameOf(KAFKA_TOPICS.replies.name),
    nameOf,
    withAdmin: (work) => runWithAdmin(boundedKafka, address.brokers, work),
  };
}
