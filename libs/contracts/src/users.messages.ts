import { IsInt, Max, Min } from 'class-validator';
import { SettleError } from './errors.js';
import { requestContract } from './message.js';
import { field, id, message, nullable, optional, positive } from './message-fields.js';
import { TOPICS } from './topics.js';
import type { UserCard } from './users-state.js';

/** Largest page that any list answers. */
export const MAX_PAGE_SIZE = 50;
export const DEFAULT_PAGE_SIZE = 20;
/** More than any user has friends: a larger offset counts as this. */
export const MAX_OFFSET = 1_000_000;

/** A user's profile as another user may see it. */
export class GetProfile extends message({
  userId: id,
  /** The reading user, on whom `isFriend` and `CONTACT_VISIBILITY` depend. */
  viewerId: id,
}) {}

/** `email` and `phone` as given by their owner, null when there is none or the viewer may not see it. */
export interface Profile extends UserCard {
  readonly email: string | null;
  readonly phone: string | null;
  /** Null when the viewer looks at themselves. */
  readonly isFriend: boolean | null;
  readonly friendsCount: number;
}

/** Returns the one error for every user who is not shown, so that its text does not reveal why. */
export function noSuchUser(): SettleError {
  return new SettleError('resource_not_found', 'There is no user with this id.');
}

/** Errors: `resource_not_found`, also for a viewer whom the user has blocked. Keyed by the viewer. */
export const getProfile = requestContract<GetProfile, Profile>(TOPICS.usersRequests, 'users.profile');

/** A page of a user's friends; every user may ask whom this user has not blocked. */
export class ListFriends extends message({
  userId: id,
  /** The reading user. Absent from an older gateway while releases are mixed. */
  viewerId: optional(nullable(id)),
  limit: positive(MAX_PAGE_SIZE),
  /** Entries that come before the page, of those that `after` and `before` leave. Instances of the version before send none. */
  offset: optional(field<number>(Max(MAX_OFFSET), Min(0), IsInt())),
  /** Only ids greater than this. */
  after: nullable(id),
  /** Only ids less than this. */
  before: nullable(id),
}) {}

export interface FriendsPage {
  /** Ascending by id. */
  readonly friends: readonly UserCard[];
  readonly hasMore: boolean;
}

/** Errors: `resource_not_found`, also for a viewer whom the user has blocked. Keyed by the viewer. */
export const listFriends = requestContract<ListFriends, FriendsPage>(TOPICS.usersRequests, 'users.friends');
