import { brokerList, kafkaName, wholeNumber, yesOrNo } from './setting-parsers.js';
import { setting } from './setting.js';

const SERVICES = 'the four services, stack';

/** How the services reach Apache Kafka. The embedded shape has none. */
export const KAFKA_SETTINGS = {
  kafkaBrokers: setting('KAFKA_BROKERS', brokerList, {
    otherwise: 'none; the four services need them; `stack` starts a broker of its own',
    meaning: 'Brokers of an Apache Kafka 3.3 or newer by which the others are found.',
    readBy: SERVICES,
    example: 'localhost:9092',
  }),
  kafkaPort: setting('KAFKA_PORT', wholeNumber(1, 65_535), {
    default: '9092',
    meaning: "The port of the stack's own broker.",
    readBy: 'stack',
  }),
  kafkaTopicPrefix: setting('KAFKA_TOPIC_PREFIX', kafkaName, {
    meaning: 'Stands before the names of topics and groups, so that several systems can share a cluster.',
    readBy: SERVICES,
    example: 'settle.',
  }),
  kafkaReplicationFactor: setting('KAFKA_REPLICATION_FACTOR', wholeNumber(1, 9), {
    default: '1',
    meaning: 'Brokers that hold each record of a topic that is made; with three, one may be lost.',
    readBy: SERVICES,
    example: '3',
  }),
  kafkaSessionTimeoutMs: setting('KAFKA_SESSION_TIMEOUT_MS', wholeNumber(1_000, 60_000), {
    default: '6000',
    meaning:
      'The partitions of an instance that sends no heartbeat for so many milliseconds are assigned to the others.',
    readBy: SERVICES,
  }),
  kafkaSsl: setting('KAFKA_SSL', yesOrNo, {
    default: 'false',
    meaning: 'Connects by TLS.',
    readBy: SERVICES,
    example: 'true',
  }),
};
