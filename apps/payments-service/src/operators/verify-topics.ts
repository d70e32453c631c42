import { LIMITS, type Settings } from '@settle/config';
import type { Topic } from '@settle/contracts';
import type { EventStore } from '@settle/event-store';
import { readWholeTopic, toKafkaAddress } from '@settle/messaging';
import { createLogger } from '@settle/observability';
import type { PublishedTopic } from '../public-events/published-topics.js';
import { verifyTopic, type ReadTopic, type VerifiedTopic } from './verify-topic.js';

export interface VerifiedTopics extends Pick<VerifiedTopic, 'client' | 'findings' | 'say'> {
  readonly settings: Pick<Settings, 'kafka'>;
  readonly store: EventStore;
}

/** Returns what reads a whole topic of the brokers that the settings name. */
export function readTopicOf({ kafka }: Pick<Settings, 'kafka'>, topic: Topic): ReadTopic {
  const logger = createLogger({ level: 'error', service: 'ledger' });
  const { topicPrefix, sessionTimeoutMs } = kafka;
  const place = { address: toKafkaAddress(kafka), topicPrefix, sessionTimeoutMs, logger };
  return (onCount, take) => readWholeTopic({ ...place, silenceMs: LIMITS.operators.silenceMs, topic, onCount, take });
}

/** Compares the records of topics with the log; `findings` gets the differences. Returns the number of records; null if nothing is published. */
export async function verifyTopics(
  { settings, ...verified }: VerifiedTopics,
  topics: readonly PublishedTopic[],
): Promise<number | null> {
  let records: number | null = null;
  for (const published of topics) {
    const found = await verifyTopic({ ...verified, published, readTopic: readTopicOf(settings, published.topic) });
    if (found !== null) records = (records ?? 0) + found;
  }
  return records;
}
