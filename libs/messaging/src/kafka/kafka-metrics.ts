import type { Metrics } from '@settle/observability';
import type { TopicProducers } from './topic-producers.js';

/** A reader of one topic. */
export interface ObservedReader {
  readonly kind: 'requests' | 'replies' | 'events';
  /** Topic name without the cluster's prefix. */
  readonly topic: string;
  isAlive(): boolean;
}

/** Registers metrics of records that wait to be sent, and of readers. */
export function registerKafkaMetrics(
  metrics: Metrics,
  producers: TopicProducers,
  readers: () => readonly ObservedReader[],
): void {
  metrics.register('kafkaRecordsWaiting', () => producers.waiting);
  metrics.register('kafkaReaderAlive', () => {
    const areAlive = new Map<string, boolean>();
    // If there are several groups on one topic, the one in the worst state counts.
    for (const reader of readers()) {
      const name = `${reader.kind} ${reader.topic}`;
      areAlive.set(name, reader.isAlive() && areAlive.get(name) !== false);
    }
    return [...areAlive].map(([name, isAlive]) => {
      const [kind = '', topic = ''] = name.split(' ');
      return [{ kind, topic }, isAlive ? 1 : 0];
    });
  });
}
