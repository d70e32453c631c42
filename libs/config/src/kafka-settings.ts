import { brokerList, topicPrefix, wholeNumber, yesOrNo } from './setting-parsers.js';
import { setting } from './setting.js';

const SERVICES = 'the four services, stack';

/** How the services reach Apache Kafka. The embedded shape has none. */
export const KAFKA_SETTINGS = {
  kafkaBrokers: setting({
    name: 'KAFKA_BROKERS',
    default: null,
    otherwise: 'none; the four services need them; `stack` starts a broker of its own',
    meaning: 'Brokers of an Apache Kafka 3.3 or newer by which the others are found.',
    readBy: SERVICES,
    expects: 'a list of host:port separated by commas',
    example: 'localhost:9092',
    parse: brokerList,
  }),
  kafkaPort: setting({
    name: 'KAFKA_PORT',
    default: '9092',
    meaning: "The port of the stack's own broker.",
    readBy: 'stack',
    expects: 'a whole number from 1 to 65535',
    example: '9092',
    parse: wholeNumber(1, 65_535),
  }),
  kafkaTopicPrefix: setting({
    name: 'KAFKA_TOPIC_PREFIX',
    default: null,
    otherwise: 'none',
    meaning: 'Stands before the names of topics and groups, so that several systems can share a cluster.',
    readBy: SERVICES,
    expects: 'at most 100 letters, digits, dots, underscores and hyphens',
    example: 'settle.',
    parse: topicPrefix,
  }),
  kafkaReplicationFactor: setting({
    name: 'KAFKA_REPLICATION_FACTOR',
    default: '1',
    meaning: 'Brokers that hold each record of a topic that is made; with three, one may be lost.',
    readBy: SERVICES,
    expects: 'a whole number from 1 to 9',
    example: '3',
    parse: wholeNumber(1, 9),
  }),
  kafkaSessionTimeoutMs: setting({
    name: 'KAFKA_SESSION_TIMEOUT_MS',
    default: '6000',
    meaning: 'The share of an instance that was silent for so many milliseconds goes to the others.',
    readBy: SERVICES,
    expects: 'a whole number from 1000 to 60000',
    example: '6000',
    parse: wholeNumber(1_000, 60_000),
  }),
  kafkaSsl: setting({
    name: 'KAFKA_SSL',
    default: 'false',
    meaning: 'Connects by TLS.',
    readBy: SERVICES,
    expects: 'true or false',
    example: 'true',
    parse: yesOrNo,
  }),
};
