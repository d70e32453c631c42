export { endLeftBroker } from './orphan.js';
export { kafkaJars } from './kafka-jars.js';
export { startKafka, type KafkaOptions, type RunningKafka } from './start-kafka.js';
