import { PeriodicTask, settlesWithin } from '@settle/concurrency';
import { LIMITS } from '@settle/config';
import type { Logger } from '@settle/observability';
import type { TopicEnds } from './topic-ends.js';

const { topicsCheckedEveryMs, lossListenersWaitMs } = LIMITS.kafka;

export interface TopicWatchOptions {
  /** Names on the cluster. */
  readonly topics: readonly string[];
  /** Reads their ends by these names; closed with the watch. */
  readonly ends: Pick<TopicEnds, 'readExisting' | 'close'>;
  readonly logger: Pick<Logger, 'debug' | 'fatal'>;
  /** Pause between two checks; `LIMITS.kafka.topicsCheckedEveryMs` by default. */
  readonly everyMs?: number;
  /** Called once, after the listeners. */
  readonly onLost: (error: Error) => void;
}

/** Ends of partitions, by `<topic>[<partition>]`. */
type Ends = ReadonlyMap<string, number>;

/**
 * Notices that the cluster has lost topics, as brokers with new disks have: a topic is missing, or a partition ends before
 * an end that was seen. Readers and producers would wait for ever, and new topics would lack what services publish at
 * their start, so the process has to end.
 */
export class TopicWatch {
  readonly #task: PeriodicTask;
  readonly #listeners: (() => Promise<void>)[] = [];
  #ends: Ends = new Map();
  /** A broker can learn of a new topic a little later than others. */
  #wasMissing = false;

  constructor(private readonly options: TopicWatchOptions) {
    this.#task = new PeriodicTask({
      run: () => this.#check(),
      everyMs: options.everyMs ?? topicsCheckedEveryMs,
      onError: (err) => options.logger.debug({ err }, 'the topics could not be checked; retrying'),
    });
  }

  start(): void {
    this.#task.start();
  }

  /** Adds work that is done, within bounds, between the discovery and `onLost`. */
  onLoss(listener: () => Promise<void>): void {
    this.#listeners.push(listener);
  }

  async stop(): Promise<void> {
    await this.#task.stop();
    await this.options.ends.close();
  }

  async #check(): Promise<'done' | void> {
    const { logger, onLost } = this.options;
    const ends = await this.#readEnds();
    const isMissing = [...this.#ends.keys()].some((partition) => !ends.has(partition));
    const shortened = [...this.#ends].find(([partition, end]) => (ends.get(partition) ?? end) < end);
    if (shortened === undefined && !(isMissing && this.#wasMissing)) {
      this.#wasMissing = isMissing;
      if (!isMissing) this.#ends = ends;
      return undefined;
    }
    const error = new Error(`Kafka has lost ${shortened === undefined ? 'topics' : `records of ${shortened[0]}`}`);
    logger.fatal({ err: error }, 'Kafka has lost topics: this process ends, and its next start makes them anew');
    await settlesWithin(Promise.allSettled(this.#listeners.map((listener) => listener())), lossListenersWaitMs);
    onLost(error);
    return 'done';
  }

  async #readEnds(): Promise<Ends> {
    const ends = await this.options.ends.readExisting(this.options.topics);
    return new Map(ends.map(({ topic, partition, offset }) => [`${topic}[${partition}]`, offset]));
  }
}
