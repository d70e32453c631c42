/** An event of the log, by all that identifies it. */
export interface LogEvent {
  readonly position: number;
  readonly id: string;
  readonly stream: string;
  readonly revision: number;
}

/** Where a log and its read models stand: what payments-service reports to a backup. Positions are those of the event store. */
export interface LogState {
  readonly eventStore: 'postgres' | 'eventstoredb';
  /** In EventStoreDB the newest event that the read models know of. Null: there is none. */
  readonly newestEvent: LogEvent | null;
  /** How far the read models have come. */
  readonly checkpoint: number;
  readonly sandboxCheckpoint: number;
  /** How far the events are published. */
  readonly published: number;
}
