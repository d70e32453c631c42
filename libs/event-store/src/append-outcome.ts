/** The position of the last event of an append, and whether this call has stored it. */
export interface StoredAppend {
  readonly position: number;
  readonly isStoredByThisCall: boolean;
}

/** An append was not confirmed, and is not retried any more. */
export class AppendAborted extends Error {
  constructor(
    reason: string,
    readonly mayBeStored: boolean,
  ) {
    super(reason);
  }
}
