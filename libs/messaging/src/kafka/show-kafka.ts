import type { Metrics } from '@settle/observability';
import type { TopicProducers } from './topic-producers.js';

/** A reader of one topic, and what it reads there. */
export interface ShownReader {
  readonly kind: 'requests' | 'replies' | 'events';
  /** Without the prefix that it has on the cluster. */
  readonly topic: string;
  isAlive(): boolean;
}

/** Shows what waits to be sent, and whether what is read is read. */
export function showKafka(metrics: Metrics, producers: TopicProducers, readers: () => readonly ShownReader[]): void {
  metrics.show('kafkaRecordsWaiting', () => producers.waiting);
  metrics.show('kafkaReaderAlive', () => {
    const areAlive = new Map<string, boolean>();
    // Of several groups on one topic the one that fares worst.
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
