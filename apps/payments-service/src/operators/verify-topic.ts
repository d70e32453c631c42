import { createHash } from 'node:crypto';
import { LIMITS } from '@settle/config';
import { TOPICS, type PublicPaymentEvent } from '@settle/contracts';
import { START, type EventStore } from '@settle/event-store';
import type { ReadRecord } from '@settle/messaging';
import { forEachConcurrent } from '@settle/concurrency';
import { readCheckpoint } from '../projection/checkpoints.js';
import { isRaised, readPublicEventEpoch } from '../public-events/public-event-epoch.js';
import { buildPublicEvent } from '../public-events/public-event.js';
import { epochOf } from '../public-events/topic-contradiction.js';
import { readPaymentChanges, type PaymentChange } from '../storage/payment-changes.js';
import { PAYMENT_PREFIXES, WHOLE_PAYMENT, paymentIdOf, paymentStream } from '../storage/streams.js';
import { replay } from './replay.js';
import type { VerifiedLedger } from './verify-ledger.js';

/** Reads the whole topic: first the number of its records, then each record. */
export type ReadTopic = (onCount: (records: number) => void, take: (record: ReadRecord) => void) => Promise<void>;

export interface VerifiedTopic extends Pick<VerifiedLedger, 'client' | 'findings' | 'say'> {
  readonly store: EventStore;
  readonly readTopic: ReadTopic;
}

/** Fields that every release has published. Later fields are compared if the record has them. */
const ALWAYS_THERE: readonly (keyof PublicPaymentEvent)[] = ['eventId', 'type', 'paymentId', 'status', 'amountCents'];

interface Published {
  readonly eventId: string;
  readonly paymentId: string;
  readonly fields: readonly string[];
  readonly digest: string;
}

/**
 * Compares the published events with the log: none is missing up to the publisher's position, and every record comes
 * from an event and has its content. Duplicates are allowed. Records of an earlier epoch, which consumers drop, are
 * skipped. Keeps digests of at most `recordsHeld` records: a longer topic is read several times, for a part of the
 * payments each time.
 * @returns the number of records; null if this ledger has published nothing
 */
export async function verifyTopic(verified: VerifiedTopic): Promise<number | null> {
  const upTo = await readCheckpoint(verified.client, TOPICS.paymentsEvents);
  const epoch = await readPublicEventEpoch(verified.client, TOPICS.paymentsEvents);
  if (isRaised(epoch)) {
    const next = 'the next start of payments-service empties it and fills it again';
    verified.findings.add('topic', `is of epoch ${epoch.filledEpoch}, and the ledger of epoch ${epoch.epoch}: ${next}`);
    return null;
  }
  let [passes, records] = [1, 0];
  for (let pass = 0; pass < passes; pass += 1) {
    const isOurs = (paymentId: string) => Number(BigInt(paymentId) % BigInt(passes)) === pass;
    const share = new TopicShare(verified, epoch.epoch, isOurs);
    const onCount = (count: number) => {
      if (pass === 0) [records, passes] = [count, Math.max(1, Math.ceil(count / LIMITS.operators.recordsHeld))];
      verified.say(`reading ${count} records, time ${pass + 1} of ${passes}`);
    };
    await verified.readTopic(onCount, (record) => share.add(record));
    if (upTo === START && records === 0) return null;
    await share.compare(upTo);
  }
  return records;
}

class TopicShare {
  /** Records by position. */
  readonly #published = new Map<number, Published>();
  /** Lists of fields are few: each is kept once. */
  readonly #fieldLists = new Map<string, readonly string[]>();

  constructor(
    private readonly verified: VerifiedTopic,
    private readonly epoch: number,
    private readonly isOurs: (paymentId: string) => boolean,
  ) {}

  add({ key, value, headers }: ReadRecord): void {
    const event = eventIn(value);
    const position = Number(headers['position']);
    if (event === null || !Number.isSafeInteger(position) || !/^\d{1,19}$/.test(key)) {
      this.#note(`a record of the key ${key.slice(0, 40)}: is not a payment event`);
      return;
    }
    if (!this.isOurs(key) || epochOf({ headers }) < this.epoch) return;
    if (epochOf({ headers }) > this.epoch) {
      this.#note(`event ${event.eventId}: is of epoch ${epochOf({ headers })}, and the ledger of ${this.epoch}`);
    }
    if (event.paymentId !== key || headers['event-id'] !== event.eventId) {
      this.#note(`event ${event.eventId}: its key or headers are not its own`);
    }
    const names = Object.keys(event).sort().join();
    const fields = this.#fieldLists.get(names) ?? names.split(',');
    this.#fieldLists.set(names, fields);
    const published = { eventId: event.eventId, paymentId: key, fields, digest: digestOf(event, fields) };
    const earlier = this.#published.get(position);
    if (earlier !== undefined && earlier.digest !== published.digest && earlier.fields === fields) {
      this.#note(`event ${event.eventId}: stands there twice and differs`);
    }
    this.#published.set(position, published);
  }

  async compare(upTo: number): Promise<void> {
    const { store } = this.verified;
    await replay(this.verified, { name: 'topic', streamPrefixes: PAYMENT_PREFIXES, upTo }, async (events) => {
      const ours = events.filter(({ stream }) => this.isOurs(paymentIdOf(stream)));
      for (const changes of await readPaymentChanges(store, ours)) for (const change of changes) this.#compare(change);
    });
    const ahead: (readonly [position: number, Published])[] = [];
    for (const [position, published] of this.#published) {
      if (position > upTo) ahead.push([position, published]);
      else this.#note(`event ${published.eventId}: not from an event`);
    }
    await forEachConcurrent(ahead, LIMITS.publishing.streamReads, ([position, published]) =>
      this.#compareAhead(position, published),
    );
  }

  /**
   * Events after the publisher's stored position may be published already: they are in the log before they are
   * published.
   */
  async #compareAhead(position: number, { eventId, paymentId }: Published): Promise<void> {
    const events = await this.verified.store.readStream(paymentStream(paymentId), WHOLE_PAYMENT);
    if (events.some(({ id }) => id === eventId)) return;
    this.#note(`is ahead of the ledger, which does not have the event ${eventId} of position ${position}`);
  }

  #compare(change: PaymentChange): void {
    const { id, position } = change.stored;
    const published = this.#published.get(position);
    this.#published.delete(position);
    if (published === undefined) this.#note(`event ${id}: missing`);
    else if (published.digest !== digestOf(buildPublicEvent(change), published.fields))
      this.#note(`event ${id}: differs`);
  }

  #note(difference: string): void {
    this.verified.findings.add('topic', difference);
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
