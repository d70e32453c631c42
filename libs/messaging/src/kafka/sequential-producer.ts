import { settlesWithin } from '@settle/concurrency';
import { LIMITS } from '@settle/config';
import { SettleError } from '@settle/contracts';
import kafkajs, {
  type Kafka,
  type PartitionerArgs,
  type Producer,
  type RecordMetadata,
  type TopicMessages,
} from 'kafkajs';
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
 * needed, load makes larger batches, and an idempotent producer keeps its guarantee for each partition: with two batches
 * in flight kafkajs loses an acknowledged record for every connection that breaks. Where a batch needs several brokers
 * and one of them refuses its part, the parts of the others can be stored twice.
 */
export class SequentialProducer {
  readonly #waiting = new Set<Waiting>();
  #recordsWaiting = 0;
  #inFlight: readonly Waiting[] = [];
  /** Partitions of the batch in flight, by topic. */
  readonly #chosen = new Map<string, Set<number>>();
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
    await this.#disconnect();
  }

  async #sendAll(): Promise<void> {
    // Records that are posted in the same turn belong in the same batch.
    await Promise.resolve();
    while (this.#waiting.size > 0) {
      const isConnected = await this.#connectOrReplace();
      const batch = this.#nextBatch();
      if (isConnected && batch.length > 0) await this.#send(batch);
      if (!isConnected) for (const { reject } of batch) reject(unavailable('No broker takes messages.'));
    }
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
    for (const partitions of this.#chosen.values()) partitions.clear();
    try {
      const sending = this.#producer.sendBatch({ topicMessages: byTopic(batch) });
      if (!(await settlesWithin(sending, sendGiveUpMs)))
        throw new Error(`No broker took the records in ${sendGiveUpMs} ms`);
      this.#requireResponses(await sending);
      for (const { resolve } of batch) resolve();
    } catch (error) {
      this.onFailure(error, topicsOf(batch));
      for (const { reject } of batch) reject(unknown());
      if (!this.#isClosed) await this.#replaceProducer();
    }
    this.#inFlight = [];
  }

  /**
   * kafkajs repeats a batch only to brokers that have not responded. A partition whose new leader has responded for others
   * is left out, and the batch succeeds without it.
   */
  #requireResponses(responses: readonly RecordMetadata[]): void {
    for (const { topicName, partition } of responses) this.#chosen.get(topicName)?.delete(partition);
    for (const [topic, [missing]] of this.#chosen) {
      if (missing !== undefined) throw new Error(`No broker took the records for partition ${missing} of ${topic}`);
    }
  }

  /** After a refusal the sequence numbers that the broker expects of this producer are unknown. */
  async #replaceProducer(): Promise<void> {
    this.#retire();
    await this.#disconnect();
    this.#producer = this.#newProducer();
    this.#connecting = null;
  }

  /** kafkajs sends without sequence numbers if it has connected and was then given no producer id: such a producer is replaced. */
  async #connectOrReplace(): Promise<boolean> {
    try {
      await this.connect();
      return true;
    } catch (error) {
      this.onFailure(error, topicsOf(this.#waiting));
      await this.#replaceProducer();
      return false;
    }
  }

  /** Also ends a connection that is still being opened, once it is open. */
  async #disconnect(): Promise<void> {
    const producer = this.#producer;
    const opened = (this.#connecting ?? Promise.resolve()).catch(() => undefined);
    await settlesWithin(
      opened.then(() => producer.disconnect()),
      LIMITS.kafka.disconnectWaitMs,
    );
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
          const partition = choosePartition(choice, chooseInTurn);
          // kafkajs leaves out records for a partition that the topic does not have: no requester reads such a reply.
          if (partition < choice.partitionMetadata.length) this.#noteChosen(choice.topic, partition);
          return partition;
        };
      },
    });
  }

  #noteChosen(topic: string, partition: number): void {
    const partitions = this.#chosen.get(topic);
    if (partitions === undefined) this.#chosen.set(topic, new Set([partition]));
    else partitions.add(partition);
  }
}

function choosePartition(choice: PartitionerArgs, chooseInTurn: (choice: PartitionerArgs) => number): number {
  const { message, partitionMetadata } = choice;
  if (message.partition !== undefined) return message.partition;
  if (message.key === undefined || message.key === null) return chooseInTurn(choice);
  return computePartition(message.key, partitionMetadata.length);
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
