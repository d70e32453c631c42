import { IsInt, IsOptional, Max, Min } from 'class-validator';
import { IsId, IsPositive } from './field-validators.js';
import { requestContract } from './message.js';
import { TOPICS } from './topics.js';
import type { UserCard } from './users-state.js';

/** Largest page that any list answers. */
export const MAX_PAGE_SIZE = 50;
export const DEFAULT_PAGE_SIZE = 20;
/** More than any user has friends: a larger offset counts as this. */
export const MAX_OFFSET = 1_000_000;

/** A user's profile as another user may see it. */
export class GetProfile {
  @IsId()
  userId: string;

  /** The reading user, on whom `isFriend` and `CONTACT_VISIBILITY` depend. */
  @IsId()
  viewerId: string;
}

/** `email` and `phone` as given by their owner, null when there is none or the viewer may not see it. */
export interface Profile extends UserCard {
  readonly email: string | null;
  readonly phone: string | null;
  /** Null when the viewer looks at themselves. */
  readonly isFriend: boolean | null;
  readonly friendsCount: number;
}

/** Errors: `resource_not_found`, also for a viewer whom the user has blocked. Keyed by the viewer. */
export const getProfile = requestContract<GetProfile, Profile>(TOPICS.usersRequests, 'users.profile');

/** A page of a user's friends; every user may ask whom this user has not blocked. */
export class ListFriends {
  @IsId()
  userId: string;

  /** The reading user. Absent from an older gateway while releases are mixed. */
  @IsOptional()
  @IsId()
  viewerId?: string | null;

  @IsPositive(MAX_PAGE_SIZE)
  limit: number;

  /** Entries that come before the page, of those that `after` and `before` leave. Instances of the version before send none. */
  @IsOptional()
  @IsInt()
  @Min(0)
  @Max(MAX_OFFSET)
  offset?: number;

  /** Only ids greater than this. */
  @IsOptional()
  @IsId()
  after: string | null;

  /** Only ids less than this. */
  @IsOptional()
  @IsId()
  before: string | null;
}

export interface FriendsPage {
  /** Ascending by id. */
  readonly friends: readonly UserCard[];
  readonly hasMore: boolean;
}

/** Errors: `resource_not_found`, also for a viewer whom the user has blocked. Keyed by the viewer. */
export const listFriends = requestContract<ListFriends, FriendsPage>(TOPICS.usersRequests, 'users.friends');
