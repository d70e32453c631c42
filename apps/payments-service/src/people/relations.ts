import type { PairRecord } from '@settle/contracts';
import type { KnownPeople } from './known-people.js';

/** What one person is to another. */
export interface Relation {
  /** The other is a friend of `fromId` and has marked `fromId` as trusted. */
  readonly settlesChargesOf: boolean;
  readonly isBlocked: boolean;
}

const STRANGERS: Relation = { settlesChargesOf: false, isBlocked: false };

/** How `fromId`'s payments to another person are treated; null: nobody is known there, so nothing speaks against it. */
export async function relationBetween(people: KnownPeople, fromId: string, toId: string | null): Promise<Relation> {
  return toId === null ? STRANGERS : relationOf(await people.pair(fromId, toId), fromId);
}

function relationOf(pair: PairRecord | null, fromId: string): Relation {
  if (pair === null) return STRANGERS;
  const isTrusted = pair.low === fromId ? pair.highTrustsLow : pair.lowTrustsHigh;
  return { settlesChargesOf: pair.areFriends && isTrusted, isBlocked: pair.lowBlocksHigh || pair.highBlocksLow };
}
