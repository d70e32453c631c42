import { settlesWithin } from '@settle/concurrency';
import { LIMITS } from '@settle/config';
import { SettleError } from '@settle/contracts';
import kafkajs, { type Kafka, type Producer, type TopicMessages } from 'kafkajs';
import type { OutgoingRecord } from './kafka-record.js';
import { computePartition } from './partition-of.js';

const { recordsPerBatch, bytesPerBatch, recordsWaiting, sendGiveUpMs } = LIMITS.kafka;

/** Records that are sent in one batch. */
interface Waiting {
  readonly records: readonly OutgoingRecord[];
  readonly bytes: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

export interface QueuedSend {
  /** Resolves once every replica has the records. */
  readonly stored: Promise<void>;
  /** Returns true if the records were not sent and now never will be. */
  readonly withdraw: () => boolean;
}

/**
 * Sends records in order, one batch in flight at a time; records that arrive meanwhile form the next batch. No timer is
 * needed, load makes larger batches, and an idempotent producer keeps its guarantee: with two batches in flight kafkajs
 * loses an acknowledged record for every connection that breaks.
 */
export class SequentialProducer {
  readonly #waiting = new Set<Waiting>();
  #recordsWaiting = 0;
  #inFlight: readonly Waiting[] = [];
  #sending: Promise<void> | null = null;
  #producer: Producer;
  #connecting: Promise<void> | null = null;
  /** Keeps the previous producer from sending records that were given up. */
  #retire: () => void = () => undefined;
  #isClosed = false;

  constructor(
    private readonly kafka: Kafka,
    private readonly onFailure: (error: unknown, topics: string) => void,
  ) {
    this.#producer = this.#newProducer();
  }

  /** Waits until a broker responds; rejects if none does within the client's retries. */
  connect(): Promise<void> {
    return (this.#connecting ??= this.#producer.connect());
  }

  /** Number of waiting records, without those in flight. */
  get waiting(): number {
    return this.#recordsWaiting;
  }

  /** Whether so many records wait that readers should pause. */
  isFull(): boolean {
    return this.#recordsWaiting >= recordsWaiting;
  }

  /**
   * Sends the records in one batch: those of one topic and key are stored together or not at all. `stored` rejects with
   * `service_unavailable` if the records were never sent, with `outcome_unknown` if they may be stored.
   * @throws SettleError `service_unavailable` if closed or full
   */
  post(records: readonly OutgoingRecord[]): QueuedSend {
    if (this.#isClosed) throw unavailable('The message bus is closed.');
    if (this.isFull()) throw unavailable('Too many messages are waiting. Try again shortly.');
    const { promise: stored, resolve, reject } = Promise.withResolvers<void>();
    const bytes = records.reduce((sum, { value }) => sum + (value?.length ?? 0), 0);
    const waiting: Waiting = { records, bytes, resolve, reject };
    this.#waiting.add(waiting);
    this.#recordsWaiting += records.length;
    this.#sending ??= this.#sendAll();
    return { stored, withdraw: () => this.#take(waiting) };
  }

  /** Returns false if they do not wait. */
  #take(waiting: Waiting): boolean {
    const isWaiting = this.#waiting.delete(waiting);
    if (isWaiting) this.#recordsWaiting -= waiting.records.length;
    return isWaiting;
  }

  /** Sends the waiting records, within bounds, and refuses the rest. */
  async close(waitMs: number): Promise<void> {
    this.#isClosed = true;
    await settlesWithin(this.#sending ?? Promise.resolve(), waitMs);
    for (const { reject } of this.#inFlight) reject(unknown());
    for (const { reject } of this.#waiting) reject(unavailable('The message bus closed before the message left.'));
    this.#waiting.clear();
    this.#recordsWaiting = 0;
    await settlesWithin(this.#producer.disconnect(), LIMITS.kafka.disconnectWaitMs);
  }

  async #sendAll(): Promise<void> {
    // Records that are posted in the same turn belong in the same batch.
    await Promise.resolve();
    await this.#connectOrReport();
    while (this.#waiting.size > 0) await this.#send(this.#nextBatch());
    this.#sending = null;
  }

  #nextBatch(): readonly Waiting[] {
    const batch: Waiting[] = [];
    let bytes = 0;
    let records = 0;
    for (const waiting of this.#waiting) {
      bytes += waiting.bytes;
      records += waiting.records.length;
      if (batch.length > 0 && (records > recordsPerBatch || bytes > bytesPerBatch)) break;
      batch.push(waiting);
    }
    for (const waiting of batch) this.#take(waiting);
    return batch;
  }

  async #send(batch: readonly Waiting[]): Promise<void> {
    this.#inFlight = batch;
    try {
      const sending = this.#producer.sendBatch({ topicMessages: byTopic(batch) });
      if (!(await settlesWithin(sending, sendGiveUpMs)))
        throw new Error(`No broker took the records in ${sendGiveUpMs} ms`);
      await sending;
      for (const { resolve } of batch) resolve();
    } catch (error) {
      this.onFailure(error, topicsOf(batch));
      for (const { reject } of batch) reject(unknown());
      if (!this.#isClosed) await this.#replaceProducer();
    }
    this.#inFlight = [];
  }

  /** After a refusal the sequence numbers that the broker expects of this producer are unknown. */
  async #replaceProducer(): Promise<void> {
    this.#retire();
    await settlesWithin(this.#producer.disconnect(), LIMITS.kafka.disconnectWaitMs);
    this.#producer = this.#newProducer();
    this.#connecting = null;
    await this.#connectOrReport();
  }

  async #connectOrReport(): Promise<void> {
    await this.connect().catch((error: unknown) => this.onFailure(error, topicsOf(this.#waiting)));
  }

  #newProducer(): Producer {
    let isRetired = false;
    this.#retire = () => (isRetired = true);
    return this.kafka.producer({
      idempotent: true,
      allowAutoTopicCreation: false,
      // kafkajs cannot cancel a send that it retries; each retry first chooses partitions.
      createPartitioner: () => {
        const chooseInTurn = kafkajs.Partitioners.DefaultPartitioner();
        return (choice) => {
          if (isRetired) throw new kafkajs.KafkaJSNonRetriableError('These records have been given up');
          const { message, partitionMetadata } = choice;
          if (message.partition !== undefined) return message.partition;
          if (message.key === undefined || message.key === null) return chooseInTurn(choice);
          return computePartition(message.key, partitionMetadata.length);
        };
      },
    });
  }
}

function topicsOf(waiting: Iterable<Waiting>): string {
  return [...new Set([...waiting].flatMap(({ records }) => records.map(({ topic }) => topic)))].join(', ');
}

function byTopic(batch: readonly Waiting[]): TopicMessages[] {
  const records = batch.flatMap((waiting) => waiting.records);
  return [...Map.groupBy(records, ({ topic }) => topic)].map(([topic, messages]) => ({ topic, messages }));
}

function unavailable(message: string): SettleError {
  return new SettleError('service_unavailable', message);
}

function unknown(): SettleError {
  return new SettleError(
    'outcome_unknown',
    'The message may not have been stored. Read the resource before sending again.',
  );
}
