import { formatIsoDateUs, usersLifecycle, type PublicUserEvent } from '@settle/contracts';
import type { StoredEvent } from '@settle/event-store';
import type { EventEnvelope } from '@settle/messaging';
import { statusAfter } from '@settle/payments-domain';
import { readUserEvent, timeUsOf, userIdOf } from '../storage/streams.js';
import { buildRecordHeaders } from './record-headers.js';

/** Builds the public event. Every public field is named here: there are ids and times, and nothing about the person. */
function buildUserEvent(stored: StoredEvent): PublicUserEvent {
  const { type, data } = readUserEvent(stored);
  return {
    eventId: stored.id,
    type,
    schemaVersion: 1,
    userId: userIdOf(stored.stream),
    position: stored.position,
    revision: stored.revision,
    occurredAt: formatIsoDateUs(data.atUs),
    joinedAt: formatIsoDateUs(data.joinedAtUs),
    status: statusAfter(type),
  };
}

/** Builds the Kafka record of a user's event. @param epoch under which the topic is filled */
export function buildUserRecord(stored: StoredEvent, epoch: number): EventEnvelope {
  const event = buildUserEvent(stored);
  const { topic, pattern } = usersLifecycle;
  return {
    topic,
    pattern,
    key: event.userId,
    payload: event,
    headers: buildRecordHeaders({ ...event, topic, key: event.userId, epoch }),
    timestampMs: Math.floor(timeUsOf(stored) / 1_000),
  };
}
