/** The position of an event in the log of EventStoreDB, in bytes from its start. */
export interface LogPosition {
  readonly commit: bigint;
  readonly prepare: bigint;
}

/**
 * Returns the commit position as a number, exact up to a log of 9 petabytes.
 * Error: the position is missing. Servers before 23.10 return none for events that are read from a stream.
 */
export function toPosition(position: LogPosition | undefined): number {
  const commit = Number(position?.commit ?? -1n);
  if (Number.isSafeInteger(commit) && commit >= 0) return commit;
  throw new Error('EventStoreDB 23.10 or newer is needed: this server returns no event positions. Upgrade the server');
}

/** Returns the position in the format of the server. */
export function toLogPosition(position: number): LogPosition {
  return { commit: BigInt(position), prepare: BigInt(position) };
}
