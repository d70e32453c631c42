import type { PairRecord } from '@settle/contracts';

/** What one person is to another. */
export interface Relation {
  /** The other is a friend of `fromId` and has marked `fromId` as trusted. */
  readonly settlesChargesOf: boolean;
  readonly isBlocked: boolean;
}

const STRANGERS: Relation = { settlesChargesOf: false, isBlocked: false };

/** How `fromId`'s payments to the other of a pair are treated; null: they never met, so nothing speaks against it. */
export function relationOf(pair: PairRecord | null, fromId: string): Relation {
  if (pair === null) return STRANGERS;
  const isTrusted = pair.low === fromId ? pair.highTrustsLow : pair.lowTrustsHigh;
  return { settlesChargesOf: pair.areFriends && isTrusted, isBlocked: pair.lowBlocksHigh || pair.highBlocksLow };
}
