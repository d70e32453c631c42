import type { PUBLIC_EVENT_HEADERS } from '@settle/contracts';

/** What the headers of a record of a public topic say, beside its trace. */
export interface RecordFacts {
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
    'content-type': 'application/json',
  } as const satisfies Omit<Record<keyof typeof PUBLIC_EVENT_HEADERS, string>, 'pattern' | 'traceparent'>;
}
