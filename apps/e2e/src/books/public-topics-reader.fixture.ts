import { randomUUID } from 'node:crypto';
import { TOPICS, type LedgerWatermark } from '@settle/contracts';
import kafkajs, { type Admin, type Consumer, type EachMessagePayload } from 'kafkajs';
import { PublicBooks } from './public-books.fixture.js';
import { WatermarkPromises } from './watermark-promises.fixture.js';

const { Kafka, logLevel } = kafkajs;

/** The topics of which books are kept. */
const PUBLIC = [TOPICS.paymentsEvents, TOPICS.ledgerEntries] as const;

/** Log positions up to which the topics are wanted. */
export type LogEnds = Readonly<Record<(typeof PUBLIC)[number], number>>;

/** Reads the public topics and their watermarks from the first record on, like an external consumer. */
export class PublicTopicsReader {
  readonly promises = new WatermarkPromises();
  readonly #consumer: Consumer;
  readonly #admin: Admin;
  readonly #nextOffsets = new Map<string, number>();
  #repeated = 0;

  /** @param books what an earlier reader has computed, if this one reads everything again */
  constructor(
    brokers: readonly string[],
    readonly books = new PublicBooks(),
  ) {
    const kafka = new Kafka({
      brokers: [...brokers],
      logLevel: logLevel.NOTHING,
      retry: { retries: Number.MAX_SAFE_INTEGER, maxRetryTime: 1_000 },
    });
    this.#consumer = kafka.consumer({ groupId: `books-${randomUUID()}`, maxWaitTimeInMs: 200 });
    this.#admin = kafka.admin();
  }

  async start(): Promise<void> {
    await this.#admin.connect();
    await this.#consumer.connect();
    await this.#consumer.subscribe({ topics: [...PUBLIC, TOPICS.ledgerWatermarks], fromBeginning: true });
    await this.#consumer.run({ eachMessage: async (received) => this.#take(received) });
  }

  async stop(): Promise<void> {
    await this.#consumer.disconnect();
    await this.#admin.disconnect();
  }

  /** The number of records that came again, or were of an earlier epoch. */
  get repeated(): number {
    return this.#repeated;
  }

  /** Rejects until the watermarks say that everything up to these positions has been read. */
  async expectCompleteUpTo(ends: LogEnds): Promise<void> {
    for (const topic of PUBLIC) {
      for (const { partition, low } of await this.#admin.fetchTopicOffsets(topic)) {
        const mark = this.promises.newest({ topic, partition });
        const read = Math.max(this.#nextOffsets.get(`${topic}/${partition}`) ?? 0, Number(low));
        const isComplete =
          mark !== undefined && mark.epoch >= this.books.epoch && mark.position >= ends[topic] && mark.offset <= read;
        if (isComplete) continue;
        throw new Error(`${topic}/${partition} is read to ${read} of ${JSON.stringify(mark)}, wanted ${ends[topic]}`);
      }
    }
  }

  #take({ topic, partition, message: { offset, value, headers } }: EachMessagePayload): void {
    const text = String(value);
    if (topic === TOPICS.ledgerWatermarks) return this.promises.promise(JSON.parse(text) as LedgerWatermark);
    const epoch = Number(headers?.['epoch'] ?? 1);
    if (this.books.take({ topic, epoch, value: text })) {
      const position = Number(headers?.['position']);
      this.promises.place({ topic, partition, offset: Number(offset), position, epoch });
    } else this.#repeated += 1;
    this.#nextOffsets.set(`${topic}/${partition}`, Number(offset) + 1);
  }
}
