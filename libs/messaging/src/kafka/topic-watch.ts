import { PeriodicTask, settlesWithin } from '@settle/concurrency';
import { LIMITS } from '@settle/config';
import type { Logger } from '@settle/observability';
import type { Admin } from 'kafkajs';

const { topicsCheckedEveryMs, lossListenersWaitMs } = LIMITS.kafka;

export interface TopicWatchOptions {
  /** Names on the cluster. */
  readonly topics: readonly string[];
  readonly withAdmin: <Result>(work: (admin: Admin) => Promise<Result>) => Promise<Result>;
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

  stop(): Promise<void> {
    return this.#task.stop();
  }

  async #check(): Promise<'done' | void> {
    const { topics, withAdmin, logger, onLost } = this.options;
    const ends = await withAdmin((admin) => fetchEnds(admin, topics));
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
}

async function fetchEnds(admin: Admin, topics: readonly string[]): Promise<Ends> {
  const existing = new Set(await admin.listTopics());
  const ends = new Map<string, number>();
  for (const topic of topics.filter((name) => existing.has(name))) {
    for (const { partition, high } of await admin.fetchTopicOffsets(topic)) {
      ends.set(`${topic}[${partition}]`, Number(high));
    }
  }
  return ends;
}
