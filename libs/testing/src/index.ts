export { eventually } from './eventually.js';
export { EventStoreDbStandIn } from './eventstoredb-stand-in.js';
export { kafkaJars } from './kafka-jars.js';
export { freshDatabase, testAdminUrl, type FreshDatabase } from './fresh-database.js';
export { startKafka, type KafkaOptions, type RunningKafka } from './start-kafka.js';
