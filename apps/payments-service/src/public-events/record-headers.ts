import type { PUBLIC_EVENT_HEADERS } from '@settle/contracts';

/** Contents of the headers of a record of a public topic, without its trace. */
export interface RecordFacts {
  readonly topic: string;
  readonly key: string;
  readonly eventId: string;
  readonly type: string;
  readonly schemaVersion: number;
  readonly revision: number;
  /** Log position of the event. */
  readonly position: number;
  /** Epoch under which the topic is filled. */
  readonly epoch: number;
  /** ISO 8601. */
  readonly occurredAt: string;
}

/** Returns the headers of a record of a public topic; the bus adds the pattern. */
export function buildRecordHeaders(facts: RecordFacts) {
  return {
    'event-id': facts.eventId,
    type: facts.type,
    revision: String(facts.revision),
    position: String(facts.position),
    epoch: String(facts.epoch),
    'schema-version': String(facts.schemaVersion),
    time: facts.occurredAt,
    // The attributes of CloudEvents 1.0 in its binary mode for Kafka.
    ce_specversion: '1.0',
    ce_id: facts.eventId,
    ce_source: `urn:settle:topic:${facts.topic}`,
    ce_type: `settle.${facts.type}.v${facts.schemaVersion}`,
    ce_subject: facts.key,
    ce_time: facts.occurredAt,
    ce_dataschema: `urn:settle:event:${facts.type}:${facts.schemaVersion}`,
    'content-type': 'application/json',
  } as const satisfies Omit<Record<keyof typeof PUBLIC_EVENT_HEADERS, string>, 'pattern' | 'traceparent'>;
}
