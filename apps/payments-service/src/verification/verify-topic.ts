import { createHash } from 'node:crypto';
import { LIMITS } from '@settle/config';
import { TOPICS, type PublicPaymentEvent } from '@settle/contracts';
import type { EventStore, StoredEvent } from '@settle/event-store';
import type { ReadRecord } from '@settle/messaging';
import type { ClientBase } from 'pg';
import { paymentChanges } from '../publishing/payment-changes.js';
import { publicEvent, type PaymentChange } from '../publishing/public-event.js';
import { PAYMENT_PREFIXES, paymentIdOf } from '../streams.js';
import type { Findings } from './findings.js';
import { replay } from './replay.js';
import { percent } from './verify-ledger.js';

/** Reads the topic over: first how many records it holds, then each. */
export type ReadTopic = (onCount: (records: number) => void, take: (record: ReadRecord) => void) => Promise<void>;

export interface VerifiedTopic {
  readonly store: EventStore;
  readonly client: ClientBase;
  readonly readTopic: ReadTopic;
  readonly findings: Findings;
  readonly say: (line: string) => void;
}

/** These every release has published. Others may have come later: a record is compared in what it has. */
const ALWAYS_THERE: readonly (keyof PublicPaymentEvent)[] = ['eventId', 'type', 'paymentId', 'status', 'amountCents'];

interface Published {
  readonly eventId: string;
  readonly fields: readonly string[];
  readonly digest: string;
}

/**
 * Compares the published events with the log, as far as the publisher says it has come: none missing, none that is not
 * from an event, each saying what happened; the same event may stand there several times. Holds at most
 * `recordsHeld` records in digest: a longer topic is read several times, a share of the payments each time.
 * @returns how many records there are; null: this ledger has published nothing
 */
export async function verifyTopic(verified: VerifiedTopic): Promise<number | null> {
  const upTo = await publishedPosition(verified.client);
  if (upTo === 0) return null;
  let [passes, records] = [1, 0];
  for (let pass = 0; pass < passes; pass += 1) {
    const share = new TopicShare(verified, (paymentId) => Number(BigInt(paymentId) % BigInt(passes)) === pass);
    const onCount = (count: number) => {
      if (pass === 0) [records, passes] = [count, Math.max(1, Math.ceil(count / LIMITS.operators.recordsHeld))];
      verified.say(`reading ${count} records, time ${pass + 1} of ${passes}`);
    };
    await verified.readTopic(onCount, (record) => share.add(record));
    await share.compare(upTo);
  }
  return records;
}

async function publishedPosition(client: ClientBase): Promise<number> {
  const { rows } = await client.query<{ position: string }>('select position from checkpoints where name = $1', [
    TOPICS.paymentsEvents,
  ]);
  return Number(rows[0]?.position ?? 0);
}

class TopicShare {
  /** By position. */
  readonly #published = new Map<number, Published>();
  /** Lists of fields are few: each is held once. */
  readonly #fieldLists = new Map<string, readonly string[]>();

  constructor(
    private readonly verified: VerifiedTopic,
    private readonly isOurs: (paymentId: string) => boolean,
  ) {}

  add({ key, value, headers }: ReadRecord): void {
    const event = eventIn(value);
    const position = Number(headers['position']);
    if (event === null || !Number.isSafeInteger(position) || !/^\d{1,19}$/.test(key)) {
      this.#note(`a record of the key ${key.slice(0, 40)}: is not a payment event`);
      return;
    }
    if (!this.isOurs(key)) return;
    if (event.paymentId !== key || headers['event-id'] !== event.eventId) {
      this.#note(`event ${event.eventId}: its key or headers are not its own`);
    }
    const names = Object.keys(event).sort().join();
    const fields = this.#fieldLists.get(names) ?? names.split(',');
    this.#fieldLists.set(names, fields);
    const published = { eventId: event.eventId, fields, digest: digestOf(event, fields) };
    const earlier = this.#published.get(position);
    if (earlier !== undefined && earlier.digest !== published.digest && earlier.fields === fields) {
      this.#note(`event ${event.eventId}: stands there twice and differs`);
    }
    this.#published.set(position, published);
  }

  async compare(upTo: number): Promise<void> {
    const { store, say } = this.verified;
    const onPosition = (position: number) =>
      say(`topic: position ${position} of ${upTo}, ${percent(position, upTo)} %`);
    await replay(store, { streamPrefixes: PAYMENT_PREFIXES, upTo, onPosition }, async (events) => {
      const ours = events.filter(({ stream }) => this.isOurs(paymentIdOf(stream)));
      for (const changes of await paymentChanges(store, ours)) for (const change of changes) this.#compare(change);
    });
    for (const [position, { eventId }] of this.#published) {
      // What is published and not yet said to be: the publisher is at it.
      if (position <= upTo) this.#note(`event ${eventId}: not from an event`);
    }
  }

  #compare(change: PaymentChange): void {
    const { id, position }: StoredEvent = change.stored;
    const published = this.#published.get(position);
    this.#published.delete(position);
    if (published === undefined) this.#note(`event ${id}: missing`);
    else if (published.digest !== digestOf(publicEvent(change), published.fields)) this.#note(`event ${id}: differs`);
  }

  #note(difference: string): void {
    this.verified.findings.note('topic', difference);
  }
}

function eventIn(text: string): PublicPaymentEvent | null {
  try {
    const event = JSON.parse(text) as PublicPaymentEvent | null;
    return event !== null && ALWAYS_THERE.every((field) => event[field] !== undefined) ? event : null;
  } catch {
    return null;
  }
}

function digestOf(event: PublicPaymentEvent, fields: readonly string[]): string {
  const values = fields.map((field) => (event as unknown as Record<string, unknown>)[field] ?? null);
  return createHash('sha256').update(JSON.stringify(values)).digest('base64').slice(0, 12);
}
