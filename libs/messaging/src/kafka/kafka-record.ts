import { LIMITS } from '@settle/config';
import {
  ERROR_CATALOGUE,
  SettleError,
  fromErrorPayload,
  toErrorPayload,
  type ErrorPayload,
  type Topic,
} from '@settle/contracts';
import type { IHeaders, KafkaMessage, Message } from 'kafkajs';
import type { EventEnvelope, RequestEnvelope } from '../message-bus.js';
import { encodeRecord } from './record-encoder.js';

/** A record that is sent to a topic. */
export interface OutgoingRecord extends Message {
  readonly topic: string;
  readonly value: Buffer | null;
  readonly headers: IHeaders;
}

/** Where a reply goes: one partition of the topic of replies belongs to each instance that asks. */
export interface ReplyAddress {
  readonly partition: number;
  readonly correlationId: string;
}

export type IncomingRequest = ReturnType<typeof readRequest>;

/** A record that is not a message of Settle. The message names what is missing, never the record's content. */
export class UnreadableRecord extends Error {}

/** Returns what `read` returns, or the error if the record is not readable. */
export function orUnreadable<Message>(read: () => Message): Message | UnreadableRecord {
  try {
    return read();
  } catch (error) {
    if (error instanceof UnreadableRecord) return error;
    throw error;
  }
}

/** More than a batch takes before its first record. */
const BATCH_HEAD_BYTES = 1_024;
const PATTERN = 'pattern';
const REQUEST_ID = 'request-id';
const CORRELATION_ID = 'correlation-id';
const REPLY_PARTITION = 'reply-partition';
const BEGIN_BEFORE = 'begin-before';
const REFUSED = 'refused';
const TRACEPARENT = 'traceparent';

/**
 * Builds the record of a request. Its key decides the partition, and so the instance that gets it.
 * @param topic name of the topic on the cluster
 * @param beginBeforeMs milliseconds since 1970: a reader that has not begun the request by then drops it
 * @throws SettleError `payload_too_large`
 */
export function buildRequestRecord(
  topic: string,
  envelope: RequestEnvelope,
  replyTo: ReplyAddress,
  beginBeforeMs: number,
): OutgoingRecord {
  const headers = {
    [PATTERN]: envelope.pattern,
    [REQUEST_ID]: envelope.requestId,
    [CORRELATION_ID]: replyTo.correlationId,
    [REPLY_PARTITION]: String(replyTo.partition),
    [BEGIN_BEFORE]: String(beginBeforeMs),
    ...(envelope.traceparent === undefined ? {} : { [TRACEPARENT]: envelope.traceparent }),
  };
  return { topic, key: envelope.key, value: toJson(envelope.payload), headers };
}

/** @throws UnreadableRecord */
export function readRequest(topic: Topic, message: KafkaMessage) {
  /** Milliseconds since 1970. */
  const beginBeforeMs = wholeNumber(message, BEGIN_BEFORE);
  const replyTo: ReplyAddress = {
    partition: wholeNumber(message, REPLY_PARTITION),
    correlationId: text(message, CORRELATION_ID),
  };
  const envelope: RequestEnvelope = {
    topic,
    pattern: text(message, PATTERN),
    key: keyOf(message),
    payload: objectIn(message.value),
    requestId: text(message, REQUEST_ID),
    timeoutMs: isFromFuture(message) ? 0 : Math.max(0, beginBeforeMs - Date.now()),
    traceparent: message.headers?.[TRACEPARENT] === undefined ? undefined : text(message, TRACEPARENT),
  };
  return { replyTo, beginBeforeMs, envelope };
}

/**
 * Builds the record of a handler's response, for the partition of the instance that sent the request.
 * @param topic name of the topic of replies on the cluster
 * @throws SettleError `payload_too_large`
 */
export function buildReplyRecord(topic: string, to: ReplyAddress, reply: object): OutgoingRecord {
  return {
    topic,
    partition: to.partition,
    key: null,
    value: toJson(reply),
    headers: { [CORRELATION_ID]: to.correlationId },
  };
}

/**
 * Builds the record of an error that a handler threw: a `SettleError` with its details, any other as `internal_error`.
 * @param topic name of the topic of replies on the cluster
 * @throws SettleError `payload_too_large`
 */
export function buildRefusalRecord(topic: string, to: ReplyAddress, error: unknown): OutgoingRecord {
  const record = buildReplyRecord(topic, to, toErrorPayload(error));
  return { ...record, headers: { ...record.headers, [REFUSED]: 'true' } };
}

/**
 * Reads the outcome of a request: the response of its handler, or the error that the handler threw.
 * @throws UnreadableRecord
 */
export function readReply(message: KafkaMessage): { readonly correlationId: string; readonly outcome: object } {
  const payload = objectIn(message.value);
  const isRefused = message.headers?.[REFUSED] !== undefined;
  return { correlationId: text(message, CORRELATION_ID), outcome: isRefused ? refusal(payload) : payload };
}

/**
 * Builds the record of an event; one without a payload deletes the record of its key. Without `timestampMs` the record has
 * the time of its sending.
 * @param topic name of the topic on the cluster
 * @throws SettleError `payload_too_large`
 */
export function buildEventRecord(topic: string, event: EventEnvelope): OutgoingRecord {
  const { pattern, key, payload, headers = {}, timestampMs } = event;
  const value = payload === null ? null : toJson(payload);
  const timestamp = timestampMs === undefined ? {} : { timestamp: String(timestampMs) };
  return { topic, key, value, headers: { ...headers, [PATTERN]: pattern }, ...timestamp };
}

/** @throws UnreadableRecord */
export function readEvent(topic: Topic, message: KafkaMessage): EventEnvelope {
  const headers: Record<string, string> = {};
  for (const name of Object.keys(message.headers ?? {})) {
    if (name !== PATTERN) headers[name] = text(message, name);
  }
  const payload = message.value === null ? null : objectIn(message.value);
  return { topic, pattern: text(message, PATTERN), key: keyOf(message), payload, headers };
}

/** Builds the dead letter of an unreadable record, with its origin. One that is too large for the topic has its origin only. */
export function buildDeadLetterRecord(
  topic: string,
  message: KafkaMessage,
  origin: { readonly topic: string; readonly partition: number; readonly why: string },
): OutgoingRecord {
  const headers = {
    'dead-letter-topic': origin.topic,
    'dead-letter-partition': String(origin.partition),
    'dead-letter-offset': message.offset,
    'dead-letter-reason': origin.why,
  };
  const letter = { topic, key: message.key, value: message.value, headers: { ...message.headers, ...headers } };
  const { length } = encodeRecord(letter).buf;
  if (length + BATCH_HEAD_BYTES <= LIMITS.kafka.bytesPerBrokerRecord) return letter;
  const reason = `${origin.why} It is too large to be kept here (${length} bytes).`;
  return { topic, key: null, value: null, headers: { ...headers, 'dead-letter-reason': reason } };
}

/** @throws SettleError `payload_too_large` */
function toJson(payload: object): Buffer {
  const value = Buffer.from(JSON.stringify(payload));
  if (value.length <= LIMITS.kafka.bytesPerRecord) return value;
  throw new SettleError('payload_too_large', 'The message is too large to be sent.');
}

/**
 * Whether the clock of this machine went back, or is not that of the requester: no deadline can be trusted then. A command that
 * was stored before might begin long after its caller has given it up.
 */
export function isFromFuture({ timestamp }: Pick<KafkaMessage, 'timestamp'>): boolean {
  return Number(timestamp) > Date.now() + LIMITS.kafka.clockToleranceMs;
}

function keyOf(message: KafkaMessage): string {
  if (message.key === null) throw new UnreadableRecord('It has no key.');
  return message.key.toString();
}

function text(message: KafkaMessage, name: string): string {
  const value: unknown = message.headers?.[name];
  const one: unknown = Array.isArray(value) ? value[0] : value;
  // A header of another writer may have no value, which the types of kafkajs do not say.
  if (typeof one !== 'string' && !Buffer.isBuffer(one)) throw new UnreadableRecord(`It has no header ${name}.`);
  return one.toString();
}

function wholeNumber(message: KafkaMessage, name: string): number {
  const value = Number(text(message, name));
  if (!Number.isSafeInteger(value)) throw new UnreadableRecord(`Its header ${name} is no whole number.`);
  return value;
}

function objectIn(value: Buffer | null): object {
  let parsed: unknown = null;
  try {
    parsed = JSON.parse(value?.toString() ?? '');
  } catch {
    // Reported below without the text of the parser, which repeats its input.
  }
  if (typeof parsed !== 'object' || parsed === null) throw new UnreadableRecord('Its value is no JSON object.');
  return parsed;
}

/** A code that only a newer version of the other side knows is a bug to us. */
function refusal(payload: object): Error {
  const error = payload as ErrorPayload;
  if (Object.hasOwn(ERROR_CATALOGUE, error.code)) return fromErrorPayload(error);
  return fromErrorPayload(toErrorPayload(new Error(`An error of the unknown code ${error.code}`)));
}
