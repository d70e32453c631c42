export type { EventEnvelope, EventHandler, MessageBus, RequestEnvelope, RequestHandler } from './message-bus.js';
