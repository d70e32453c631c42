import { createHash } from 'node:crypto';
import { LIMITS } from '@settle/config';
import { topicSchemas } from '@settle/contracts';
import { START, type EventStore } from '@settle/event-store';
import type { EventEnvelope, ReadRecord } from '@settle/messaging';
import { forEachConcurrent } from '@settle/concurrency';
import { readCheckpoint } from '../projection/checkpoints.js';
import { isRaised, readPublicEventEpoch } from '../public-events/public-event-epoch.js';
import type { PublishedTopic } from '../public-events/published-topics.js';
import { epochOf } from '../public-events/topic-contradiction.js';
import { holdsEvent } from '../storage/holds-event.js';
import { replay } from './replay.js';
import type { VerifiedLedger } from './verify-ledger.js';

/** Reads the whole topic: first the number of its records, then each record. */
export type ReadTopic = (onCount: (records: number) => void, take: (record: ReadRecord) => void) => Promise<void>;

export interface VerifiedTopic extends Pick<VerifiedLedger, 'client' | 'findings' | 'say'> {
  readonly store: EventStore;
  readonly published: PublishedTopic;
  readonly readTopic: ReadTopic;
}

/** The value of a record. */
type Content = Readonly<Record<string, unknown>> & { readonly eventId: string };

interface Published {
  readonly eventId: string;
  readonly key: string;
  readonly revision: number;
  readonly fields: readonly string[];
  readonly digest: string;
}

/**
 * Compares the records of a topic with the log: none is missing up to the publisher's position, and every record comes
 * from an event and has its content. Duplicates are allowed. Records of an earlier epoch, which consumers drop, are
 * skipped. Keeps digests of at most `recordsHeld` records: a longer topic is read several times, for a part of the
 * keys each time.
 * @returns the number of records; null if this ledger has published nothing
 */
export async function verifyTopic(verified: VerifiedTopic): Promise<number | null> {
  const { topic } = verified.published;
  const upTo = await readCheckpoint(verified.client, topic);
  const epoch = await readPublicEventEpoch(verified.client, topic);
  if (isRaised(epoch)) {
    const next = 'the next start of payments-service empties it and fills it again';
    verified.findings.add(
      'topic',
      `${topic}: is of epoch ${epoch.filledEpoch}, and the ledger of epoch ${epoch.epoch}: ${next}`,
    );
    return null;
  }
  let [passes, records] = [1, 0];
  for (let pass = 0; pass < passes; pass += 1) {
    const isOurs = (key: string) => passes === 1 || shareOf(key, passes) === pass;
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
  readonly #alwaysThere: readonly string[];
  /** Lists of fields are few: each is kept once. */
  readonly #fieldLists = new Map<string, readonly string[]>();

  constructor(
    private readonly verified: VerifiedTopic,
    private readonly epoch: number,
    private readonly isOurs: (key: string) => boolean,
  ) {
    // Fields that every release has published. Later fields are compared if the record has them.
    this.#alwaysThere = topicSchemas().get(verified.published.topic)?.required ?? [];
  }

  add({ key, value, headers }: ReadRecord): void {
    const event = this.#contentOf(value);
    const position = Number(headers['position']);
    if (event === null || !Number.isSafeInteger(position) || this.verified.published.streamOf(key) === null) {
      this.#note(`a record of the key ${key.slice(0, 40)}: is not a record of the topic`);
      return;
    }
    if (!this.isOurs(key) || epochOf({ headers }) < this.epoch) return;
    if (epochOf({ headers }) > this.epoch) {
      this.#note(`event ${event.eventId}: is of epoch ${epochOf({ headers })}, and the ledger of ${this.epoch}`);
    }
    if (headers['event-id'] !== event.eventId) {
      this.#note(`event ${event.eventId}: its headers are not its own`);
    }
    const names = Object.keys(event).sort().join();
    const fields = this.#fieldLists.get(names) ?? names.split(',');
    this.#fieldLists.set(names, fields);
    const revision = Number(headers['revision']);
    const published = { eventId: event.eventId, key, revision, fields, digest: digestOf(event, fields) };
    const earlier = this.#published.get(position);
    if (earlier !== undefined && earlier.digest !== published.digest && earlier.fields === fields) {
      this.#note(`event ${event.eventId}: stands there twice and differs`);
    }
    this.#published.set(position, published);
  }

  async compare(upTo: number): Promise<void> {
    const { store, published: of } = this.verified;
    await replay(this.verified, { name: of.topic, streamPrefixes: of.streamPrefixes, upTo }, async (events) => {
      for (const record of (await of.buildRecords(store, events, this.epoch)).flat()) {
        if (this.isOurs(record.key)) this.#compare(record);
      }
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
  async #compareAhead(position: number, { eventId, key, revision }: Published): Promise<void> {
    const { store, published } = this.verified;
    const stream = published.streamOf(key) ?? '';
    if (Number.isSafeInteger(revision) && (await holdsEvent(store, { stream, revision, id: eventId }))) return;
    this.#note(`is ahead of the ledger, which does not have the event ${eventId} of position ${position}`);
  }

  #compare({ key, headers, payload }: EventEnvelope): void {
    const position = Number(headers?.['position']);
    const event = payload as Content;
    const published = this.#published.get(position);
    this.#published.delete(position);
    if (published === undefined) this.#note(`event ${event.eventId}: missing`);
    else if (published.key !== key || published.digest !== digestOf(event, published.fields))
      this.#note(`event ${event.eventId}: differs`);
  }

  #note(difference: string): void {
    this.verified.findings.add('topic', `${this.verified.published.topic}: ${difference}`);
  }

  #contentOf(text: string): Content | null {
    try {
      const content = JSON.parse(text) as Content | null;
      return content !== null && this.#alwaysThere.every((field) => content[field] !== undefined) ? content : null;
    } catch {
      return null;
    }
  }
}

/** Returns the share of a key when the keys are spread over a number of shares. */
function shareOf(key: string, shares: number): number {
  return createHash('sha256').update(key).digest().readUInt32BE() % shares;
}

function digestOf(event: Content, fields: readonly string[]): string {
  const values = fields.map((field) => event[field] ?? null);
  return createHash('sha256').update(JSON.stringify(values)).digest('base64').slice(0, 12);
}
