import type { KafkaMessage } from 'kafkajs';

/** Records of one partition, in order, with their bookkeeping. */
export interface PartitionBatch {
  readonly partition: number;
  readonly messages: readonly KafkaMessage[];
  /** False once the partition belongs, or may have belonged, to another instance. */
  isCurrent(): boolean;
  /** From here to `finish`, no offset from this record on is committed. Returns false if it was begun before. */
  begin(offset: string): boolean;
  finish(offset: string): void;
  /** Resolves once no instance will get this record again; never resolves if the partition is reassigned before. */
  committed(offset: string): Promise<void>;
  /**
   * Whether another instance may have begun this record: it is older than our assignment, or the assignment may have
   * changed.
   */
  mayBeBegunElsewhere(message: KafkaMessage): boolean;
  /** Continues reading after this record; a record that is not skipped is delivered again. */
  skip(offset: string): void;
  /** Sends a heartbeat. Rejects if the group rebalances: end the batch then. */
  heartbeat(): Promise<void>;
}
