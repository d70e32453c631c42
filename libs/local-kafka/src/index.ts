export { type KafkaOptions, type RunningKafka } from './broker.js';
export { freePort } from './free-port.js';
export { stopOrphanedBroker } from './orphan.js';
export { connectJars, kafkaJars } from './kafka-jars.js';
export { startKafka } from './start-kafka.js';
