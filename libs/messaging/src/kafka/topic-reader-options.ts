import type { Logger } from '@settle/observability';
import type { Kafka } from 'kafkajs';
import type { PartitionBatch } from './partition-batch.js';

export interface TopicReaderOptions {
  readonly kafka: Kafka;
  readonly logger: Logger;
  readonly topic: string;
  readonly groupId: string;
  /** After this silence of a member Kafka assigns its partitions to the others. */
  readonly sessionTimeoutMs: number;
  /** These partitions, in a separate group; otherwise the members of the group share the topic. */
  readonly pin?: Pin;
  readonly onBatch: (batch: PartitionBatch) => Promise<void>;
  readonly onAssignmentChange?: (moved: ReadonlySet<number>) => void;
  /** Called when the reader has ended for good. */
  readonly onFatal: (error: Error) => void;
}

/** Partitions that one reader always has. Its offsets are in memory alone, so its group leaves nothing behind. */
export interface Pin {
  readonly partitions: readonly number[];
  /** First offset of each partition; read once, before the first record. */
  readonly offsets: () => Promise<ReadonlyMap<number, string>>;
}
