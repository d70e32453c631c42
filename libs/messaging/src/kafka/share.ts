import type { KafkaMessage } from 'kafkajs';

/** Partitions of a topic that this instance now has, and that it no longer has. Both at once: others had it meanwhile. */
export interface ShareChange {
  readonly gained: readonly number[];
  readonly lost: readonly number[];
}

/** Records of one partition, in order, and what to tell of each. */
export interface PartitionBatch {
  readonly partition: number;
  readonly messages: readonly KafkaMessage[];
  /** False once the partition belongs to another instance, or may have belonged to one meanwhile. */
  isCurrent(): boolean;
  /** From here to `finish` nothing from this record on is committed. False: it was begun before. */
  begin(offset: string): boolean;
  finish(offset: string): void;
  /** Resolves once nobody will get this record again; never, if the partition goes to another instance before. */
  committed(offset: string): Promise<void>;
  /** Whether another may have begun this record: it is older than our share, or the share may be another's by now. */
  mayBeBegunElsewhere(message: KafkaMessage): boolean;
  /** Reads on behind this record; a record that is not passed over comes again. */
  passOver(offset: string): void;
  /** Tells the group that this reader lives. Rejects when the group shares out anew: then end the batch. */
  heartbeat(): Promise<void>;
}
