import { LIMITS } from '@settle/config';
import { KAFKA_TOPICS, type KafkaTopic } from '@settle/contracts';
import type { Admin } from 'kafkajs';
import { RequestMeter } from '../request-meter.js';
import { runWithAdmin } from './run-with-admin.js';
import type { KafkaBusOptions } from './kafka-bus-options.js';
import { createKafkaClient } from './kafka-connection.js';
import { isDenied, missingRight } from './missing-right.js';
import { TopicProducers } from './topic-producers.js';

const REQUEST_TOPICS = Object.values<KafkaTopic>(KAFKA_TOPICS)
  .filter(({ carries }) => carries === 'requests' || carries === 'replies')
  .map(({ name }) => name);

export type KafkaParts = ReturnType<typeof createKafkaParts>;

/** Creates the parts that the readers of one bus share, without connecting. */
export function createKafkaParts(options: KafkaBusOptions) {
  const { address, clientId, logger, topicPrefix = '', sessionTimeoutMs } = options;
  /** Returns the topic's name on the cluster. */
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
    /** Meter of the requests that this process handles. */
    handled: new RequestMeter(options.metrics, 'answered'),
    repliesTopic: nameOf(KAFKA_TOPICS.replies.name),
    nameOf,
    createAdmin: () => boundedKafka.admin(),
    withAdmin: <Result>(work: (admin: Admin) => Promise<Result>) => runWithAdmin(boundedKafka, address.brokers, work),
  };
}
