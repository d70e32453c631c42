export { BusServer } from './bus-server.js';
export { OnEvents, OnRequest } from './handler-decorators.js';
export { InMemoryBus, type InMemoryBusOptions } from './in-memory-bus.js';
export { EACH_INSTANCE, type ConsumerGroup } from './message-bus.js';
export type {
  EventEnvelope,
  EventHandler,
  EventSource,
  MessageBus,
  RequestEnvelope,
  RequestHandler,
} from './message-bus.js';
export { createKafkaTopics, grantKafkaRights, type CreateTopicsOptions } from './kafka/cluster-setup.js';
export { KafkaBus } from './kafka/kafka-bus.js';
export { type KafkaBusOptions } from './kafka/kafka-bus-options.js';
export { toKafkaAddress, type KafkaAddress } from './kafka/kafka-address.js';
export type { ReadRecord } from './kafka/read-partitions.js';
export type { TopicEnds } from './kafka/topic-ends.js';
export { readWholeTopic, type TopicContents } from './kafka/topic-contents.js';
export { MessageClient, type RequestOptions } from './message-client.js';
