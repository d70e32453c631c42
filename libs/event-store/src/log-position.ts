/** Where an event stands in EventStoreDB's log, in bytes from its beginning. */
export interface LogPosition {
  readonly commit: bigint;
  readonly prepare: bigint;
}

/**
 * The commit position as the port's number: exact up to 9 petabytes of log.
 * Errors: there is none. Servers before 23.10 give none for events read from a stream.
 */
export function toPosition(position: LogPosition | undefined): number {
  const commit = Number(position?.commit ?? -1n);
  if (Number.isSafeInteger(commit) && commit >= 0) return commit;
  throw new Error('EventStoreDB 23.10 or newer is needed: this server does not say where its events stand');
}

/** The same place, as the server wants it. */
export function toLogPosition(position: number): LogPosition {
  return { commit: BigInt(position), prepare: BigInt(position) };
}
