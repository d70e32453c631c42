import { SettleError, epochOfRecord, type PairRecord } from '@settle/contracts';
import type { TwoPeople } from './known-people.js';

/** What one person is to another. */
export interface Relation {
  /** The other is a friend of `fromId` and has marked `fromId` as trusted. */
  readonly settlesChargesOf: boolean;
  /** The most that the other lets `fromId` charge unasked within 24 hours, cents; null: no limit. */
  readonly trustAmountPerDayCents: number | null;
  readonly isBlocked: boolean;
}

const STRANGERS: Relation = { settlesChargesOf: false, trustAmountPerDayCents: null, isBlocked: false };

/** How `fromId`'s payments to the other of the two are treated; without a pair, nothing speaks against them. */
export function relationOf(two: TwoPeople, fromId: string): Relation {
  const { pair } = two;
  if (pair === null) return STRANGERS;
  const isLow = pair.low === fromId;
  const isTrusted = isLow ? pair.highTrustsLow : pair.lowTrustsHigh;
  const trustAmountPerDayCents = (isLow ? pair.highAmountPerDayCents : pair.lowAmountPerDayCents) ?? null;
  const settlesChargesOf = pair.areFriends && isTrusted && !isFromBeforeRestore(two, pair);
  return { settlesChargesOf, trustAmountPerDayCents, isBlocked: isBlocked(pair) };
}

/** Why a request that one of them made must not be paid by the other now, whatever they were when it was made; null: it may. */
export function transferBlock({ one, other, pair }: TwoPeople): SettleError | null {
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
 * A restore can take a friendship back without a record that says so. The users are announced before the pairs, so a pair
 * that is older than its users either is gone or follows shortly; until then nobody is charged because of it.
 */
function isFromBeforeRestore({ one, other }: TwoPeople, pair: PairRecord): boolean {
  return [one, other].some((user) => user !== null && epochOfRecord(pair) < epochOfRecord(user));
}

function isBlocked({ lowBlocksHigh, highBlocksLow }: PairRecord): boolean {
  return lowBlocksHigh || highBlocksLow;
}
