import { requestContract } from './message.js';
import { id, line, message, nullable, oneOf, optional, positive } from './message-fields.js';
import { TOPICS } from './topics.js';
import type { UserCard } from './users-state.js';

const LONGEST_USERNAME = 200;
/** Far above what a user pays in a day, and far below what the ledger can count. */
export const MAX_AMOUNT_PER_DAY_CENTS = 100_000_000;

/** Actions of a user toward another user. */
export const FRIEND_ACTIONS = ['accept', 'decline', 'remove', 'trust', 'distrust', 'block', 'unblock'] as const;
export type FriendAction = (typeof FRIEND_ACTIONS)[number];

/** A friend, and whether the user trusts the friend's charges. */
export interface Friend extends UserCard {
  /** Whether charges of this friend settle without approval. */
  readonly isTrusted: boolean;
  /** Largest sum of such charges within 24 hours, in cents; null: no limit. */
  readonly trustAmountPerDayCents: number | null;
}

/** The relations of a user, by display name; each list is bounded, and further users are left out. */
export interface Friendships {
  readonly friends: readonly Friend[];
  /** Received and sent friend requests. */
  readonly incoming: readonly UserCard[];
  readonly outgoing: readonly UserCard[];
  readonly blocked: readonly UserCard[];
}

export class GetFriendships extends message({
  userId: id,
}) {}

/** Keyed by the user. */
export const getFriendships = requestContract<GetFriendships, Friendships>(TOPICS.usersRequests, 'users.friendships');

/** Sends a friend request; a request to a user who has sent one becomes a friendship at once. */
export class AskFriend extends message({
  userId: id,
  username: line(LONGEST_USERNAME),
}) {}

/** The result of the change. */
export interface FriendRequestResult {
  readonly outcome: 'asked' | 'friends';
}

/**
 * Errors: `resource_not_found`; `invalid_request` for a request to oneself; `not_permitted` for too many requests, or if one
 * of the two users blocks the other. Keyed by the user.
 */
export const askFriend = requestContract<AskFriend, FriendRequestResult>(TOPICS.usersRequests, 'users.ask-friend');

/** `decline` also withdraws the user's own request. */
export class ChangeFriendship extends message({
  userId: id,
  otherId: id,
  action: oneOf(FRIEND_ACTIONS),
  /** With `trust`: largest sum that settles without approval within 24 hours, in cents; null: no limit; absent: unchanged. */
  amountPerDayCents: optional(nullable(positive(MAX_AMOUNT_PER_DAY_CENTS))),
}) {}

/**
 * The response to a block, or to the end of trust, comes once payments apply it. Errors: `resource_not_found`,
 * `not_permitted`; `outcome_unknown` if the change is stored and payments may not apply it yet. Keyed by the user.
 */
export const changeFriendship = requestContract<ChangeFriendship, ChangeFriendship>(
  TOPICS.usersRequests,
  'users.change-friendship',
);
