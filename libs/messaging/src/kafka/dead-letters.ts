import { retry } from '@settle/concurrency';
import { LIMITS } from '@settle/config';
import { KAFKA_TOPICS, type Topic } from '@settle/contracts';
import type { KafkaMessage } from 'kafkajs';
import type { KafkaParts } from './kafka-parts.js';
import { buildDeadLetterRecord, type UnreadableRecord } from './kafka-record.js';

const { retryPauseMinMs: minPauseMs, retryPauseMaxMs: maxPauseMs } = LIMITS.messaging;

/**
 * Stores a record that cannot be read, so that its partition continues and an operator can examine it. Resolves with
 * true once it is stored, with false if the bus closed before: it must be read again then.
 */
export function storeDeadLetter(
  { nameOf, producers, reader: { logger } }: KafkaParts,
  { topic, partition, message }: { readonly topic: Topic; readonly partition: number; readonly message: KafkaMessage },
  { message: why }: UnreadableRecord,
): Promise<boolean> {
  const from = { topic: nameOf(topic), partition };
  const { offset } = message;
  logger.error({ ...from, offset, why }, 'a record cannot be read: it goes to the dead letters');
  const record = buildDeadLetterRecord(nameOf(KAFKA_TOPICS.deadLetters.name), message, { ...from, why });
  return retry(() => producers.post([record]).stored.then(() => true), {
    minPauseMs,
    maxPauseMs,
    isRetryable: () => !producers.isClosed,
    onError: (err) => logger.warn({ err, ...from, offset }, 'a dead letter is not stored yet; retrying'),
  }).catch(() => false);
}
