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

/** A friend, and what the user lets them do. */
export interface Friend extends UserCard {
  /** Their charges settle without approval. */
  readonly isTrusted: boolean;
  /** The most that settles so within 24 hours, cents; null: no limit. */
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

/** Keyed by the person. */
export const getFriendships = requestContract<GetFriendships, Friendships>(TOPICS.usersRequests, 'users.friendships');

/** Sends a friend request; a request to a user who has sent one becomes a friendship at once. */
export class AskFriend extends message({
  userId: id,
  username: line(LONGEST_USERNAME),
}) {}

/** The result of the change. */
export interface FriendAsked {
  readonly outcome: 'asked' | 'friends';
}

/** Errors: `resource_not_found`, `invalid_request` for oneself; `not_permitted` for too many, or between two of whom one blocks the other. Keyed by the person. */
export const askFriend = requestContract<AskFriend, FriendAsked>(TOPICS.usersRequests, 'users.ask-friend');

/** `decline` also withdraws the user's own request. */
export class ChangeFriendship extends message({
  userId: id,
  otherId: id,
  action: oneOf(FRIEND_ACTIONS),
  /** With `trust`: the most that may settle unasked within 24 hours, cents; null: no limit; absent: as it is. */
  amountPerDayCents: optional(nullable(positive(MAX_AMOUNT_PER_DAY_CENTS))),
}) {}

/**
 * Blocking, and what takes trust away, is answered once payments know of it. Errors: `resource_not_found`,
 * `not_permitted`; `outcome_unknown` when it is stored and payments may not know of it yet. Keyed by the person.
 */
export const changeFriendship = requestContract<ChangeFriendship, ChangeFriendship>(
  TOPICS.usersRequests,
  'users.change-friendship',
);
