import { SettleError, epochOfRecord, type PairRecord } from '@settle/contracts';
import type { TwoUsers } from './user-replica.js';

/** How one user may act toward another. */
export interface Relation {
  /** The other user is a friend of `fromId` and trusts `fromId`: charges settle without approval. */
  readonly settlesCharges: boolean;
  /** Cents that the other user lets `fromId` charge within 24 hours without approval; null: no limit. */
  readonly trustAmountPerDayCents: number | null;
  readonly isBlocked: boolean;
}

const STRANGERS: Relation = { settlesCharges: false, trustAmountPerDayCents: null, isBlocked: false };

/** Returns the relation that applies to payments from `fromId` to the other user. */
export function relationOf(two: TwoUsers, fromId: string): Relation {
  const { pair } = two;
  if (pair === null) return STRANGERS;
  const isLow = pair.low === fromId;
  const isTrusted = isLow ? pair.highTrustsLow : pair.lowTrustsHigh;
  const trustAmountPerDayCents = (isLow ? pair.highAmountPerDayCents : pair.lowAmountPerDayCents) ?? null;
  const settlesCharges = pair.areFriends && isTrusted && !isFromBeforeRestore(two, pair);
  return { settlesCharges, trustAmountPerDayCents, isBlocked: isBlocked(pair) };
}

/** Returns the error that keeps one of two users from paying the other's request now, whatever held when it was made; null if none does. */
export function transferBlock({ one, other, pair }: TwoUsers): SettleError | null {
  if (one?.isFrozen || other?.isFrozen) {
    return new SettleError('account_frozen', 'One of the two accounts is frozen, so no money can move between them.');
  }
  if (one?.isBusiness || other?.isBusiness) {
    return new SettleError(
      'merchant_payments_not_allowed',
      'One of the two is a business now: deny or cancel the request.',
    );
  }
  return pair !== null && isBlocked(pair)
    ? new SettleError('not_permitted', 'One of you has blocked the other.')
    : null;
}

/**
 * A restore can undo a friendship without a record that says so. After a restore users are announced before pairs, so a
 * pair that is older than its users is gone or follows shortly; until then it lets no charge settle.
 */
function isFromBeforeRestore({ one, other }: TwoUsers, pair: PairRecord): boolean {
  return [one, other].some((user) => user !== null && epochOfRecord(pair) < epochOfRecord(user));
}

function isBlocked({ lowBlocksHigh, highBlocksLow }: PairRecord): boolean {
  return lowBlocksHigh || highBlocksLow;
}
