export { BusServer } from './bus-server.js';
export { OnEvents, OnRequest, type OnRequestOptions } from './handler-decorators.js';
export { InMemoryBus, type InMemoryBusOptions } from './in-memory-bus.js';
export type { EventEnvelope, EventHandler, MessageBus, RequestEnvelope, RequestHandler } from './message-bus.js';
export { MessageClient, type RequestOptions } from './message-client.js';
export { dtoCheck, type DtoClass, type PayloadCheck } from './payload-check.js';
