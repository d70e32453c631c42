import { PeriodicTask } from '@settle/concurrency';
import { LIMITS } from '@settle/config';
import { formatIsoDateUs, ledgerWatermarks, type LedgerWatermark } from '@settle/contracts';
import type { TopicEnds } from '@settle/messaging';
import type { Logger } from '@settle/observability';
import type { Clock } from '../storage/clock.js';
import type { PublishedTopic } from './published-topics.js';
import type { PublishingBus } from './publishing-run.js';

const { watermarkEveryMs } = LIMITS.publishing;

/** How far a topic is filled. */
export interface TopicProgress {
  readonly topic: PublishedTopic['topic'];
  /** Log position up to which every replica has every record. */
  readonly position: number;
  readonly epoch: number;
}

export interface WatermarkWriterOptions {
  readonly bus: Pick<PublishingBus, 'publish' | 'ends'>;
  /** Returns the progress of each topic that is being filled. */
  readonly progress: () => readonly TopicProgress[];
  /** Whether this instance certainly holds the lease still. */
  readonly isHeld: () => boolean;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Publishes once a second how far the public topics are filled, while this instance publishes. */
export class WatermarkWriter {
  readonly #ends: Pick<TopicEnds, 'read' | 'close'>;
  readonly #task = new PeriodicTask({
    run: () => this.#write(),
    everyMs: watermarkEveryMs,
    onError: (err) => this.options.logger.warn({ err }, 'watermark not published; retrying'),
  });

  constructor(private readonly options: WatermarkWriterOptions) {
    this.#ends = options.bus.ends();
  }

  start(): void {
    this.#task.start();
  }

  /** Waits for the record in progress, within the bounds of the bus. */
  async stop(): Promise<void> {
    await this.#task.stop();
    await this.#ends.close();
  }

  async #write(): Promise<number> {
    const startedAtMs = performance.now();
    // Before the ends are read: what is filled by now lies below them.
    const progress = new Map(this.options.progress().map((each) => [each.topic as string, each]));
    const ends = progress.size === 0 ? [] : await this.#ends.read([...progress.values()].map(({ topic }) => topic));
    const partitions = ends.flatMap(({ topic, partition, offset }) => {
      const filled = progress.get(topic);
      return filled === undefined ? [] : [{ ...filled, partition, offset }];
    });
    if (partitions.length > 0 && this.options.isHeld()) await this.#publish(partitions);
    return Math.max(0, watermarkEveryMs - (performance.now() - startedAtMs));
  }

  async #publish(partitions: LedgerWatermark['partitions']): Promise<void> {
    const { bus, clock } = this.options;
    const { topic, pattern } = ledgerWatermarks;
    const time = formatIsoDateUs(clock.nowUs());
    const payload: LedgerWatermark = { type: 'LedgerWatermark', time, partitions };
    const headers = { type: payload.type, time, 'content-type': 'application/json' };
    await bus.publish({ topic, pattern, key: topic, payload, headers });
  }
}
