import { retry } from '@settle/concurrency';
import { LIMITS } from '@settle/config';
import type { Logger } from '@settle/observability';
import type { KafkaMessage } from 'kafkajs';
import { buildDeadLetterRecord, type UnreadableRecord } from './kafka-record.js';
import type { TopicProducers } from './topic-producers.js';

const { retryPauseMinMs: minPauseMs, retryPauseMaxMs: maxPauseMs } = LIMITS.messaging;

interface Origin {
  readonly topic: string;
  readonly partition: number;
}

/** Stores records that cannot be read, so that their partition continues and an operator can examine them. */
export class DeadLetters {
  constructor(
    private readonly topic: string,
    private readonly producers: TopicProducers,
    private readonly logger: Logger,
  ) {}

  /** Resolves with true once the record is stored, with false if the bus closed before: it must be read again then. */
  store(message: KafkaMessage, from: Origin, { message: why }: UnreadableRecord): Promise<boolean> {
    const { offset } = message;
    this.logger.error({ ...from, offset, why }, 'a record cannot be read: it goes to the dead letters');
    const record = buildDeadLetterRecord(this.topic, message, { ...from, why });
    const store = async (): Promise<true> => {
      await this.producers.post(record).stored;
      return true;
    };
    return retry(store, {
      minPauseMs,
      maxPauseMs,
      isRetryable: () => !this.producers.isClosed(),
      onError: (err) => this.logger.warn({ err, ...from, offset }, 'a dead letter is not stored yet; retrying'),
    }).catch(() => false);
  }
}
