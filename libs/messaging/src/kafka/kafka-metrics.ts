import type { Metrics } from '@settle/observability';
import type { TopicProducers } from './topic-producers.js';
import type { TopicReader } from './topic-reader.js';

/** A reader of one topic. */
export interface ObservedReader {
  readonly kind: 'requests' | 'replies' | 'events';
  /** Topic name without the cluster's prefix. */
  readonly topic: string;
  readonly reader: TopicReader;
}

/** Registers metrics of records that wait to be sent, and of readers. */
export function registerKafkaMetrics(
  metrics: Metrics,
  producers: TopicProducers,
  readers: () => readonly ObservedReader[],
): void {
  metrics.register('kafkaRecordsWaiting', () => producers.waiting);
  metrics.register('kafkaReaderAlive', () => {
    const groups = Map.groupBy(readers(), ({ kind, topic }) => `${kind} ${topic}`);
    return [...groups].map(([name, group]) => {
      const [kind = '', topic = ''] = name.split(' ');
      // If there are several groups on one topic, the one in the worst state counts.
      return [{ kind, topic }, group.every(({ reader }) => reader.isAlive()) ? 1 : 0];
    });
  });
}
