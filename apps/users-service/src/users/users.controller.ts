import type { ResultCache } from '@settle/concurrency';
import type { ContactVisibility, Settings } from '@settle/config';
import {
  GetProfile,
  ListFriends,
  getProfile,
  isId,
  listFriends,
  noSuchUser,
  type FriendsPage,
  type Profile,
} from '@settle/contracts';
import { OnRequest } from '@settle/messaging';
import { readOrThrowUnavailable } from '@settle/postgres';
import { Controller, Inject } from '@nestjs/common';
import type { Pool, QueryResult } from 'pg';
import { toCard, type PublicUser } from '../announcements/records.js';
import { POOL, PROFILES, SETTINGS } from '../injection/providers.js';
import type { User } from '../storage/user.entity.js';

/** Estimated size of a kept profile without its texts. */
const PROFILE_BYTES = 1_000;
const CHARACTER_BYTES = 2;
const MAX_BIGINT = 2n ** 63n - 1n;
/** An id that no user has and no user blocks. */
const NO_VIEWER = '0';

const CARD_COLUMNS = `u.id, u.username, u.first_name as "firstName", u.last_name as "lastName",
  u.display_name as "displayName", u.about, u.picture_url as "pictureUrl", u.joined_at_us::float8 as "joinedAtUs"`;

/** Returns SQL for whether one user has blocked another: each side of a pair has its own flag. */
function blocks(userId: string, otherId: string): string {
  return `exists (select from pairs b where b.low = least(${userId}::bigint, ${otherId}::bigint)
    and b.high = greatest(${userId}::bigint, ${otherId}::bigint)
    and case when b.low = ${userId} then b.low_blocks_high else b.high_blocks_low end)`;
}

const PROFILE = {
  name: 'users-profile',
  text: `select ${CARD_COLUMNS}, u.email, u.phone,
      (select count(*)::int from pairs p where p.low = u.id and p.are_friends)
        + (select count(*)::int from pairs p where p.high = u.id and p.are_friends) as "friendsCount",
      exists (select from pairs p where p.low = least(u.id, $2) and p.high = greatest(u.id, $2) and p.are_friends)
        as "isFriend"
    from users u where u.id = $1 and u.closed_at_us is null and not ${blocks('$1', '$2')}`,
};

// Friends with smaller ids, then those with greater ones: each half is one walk along an index that ends at the limit.
export const FRIENDS = {
  name: 'users-friends',
  text: `select ${CARD_COLUMNS} from (
      (select low as id from pairs where high = $1 and are_friends and low > $2 and low < $3 order by low limit $4::bigint + $5::bigint)
      union all
      (select high from pairs where low = $1 and are_friends and high > $2 and high < $3 order by high limit $4::bigint + $5::bigint)
    ) friend join users u using (id) where not ${blocks('$1', '$6')} order by u.id limit $4 offset $5`,
};

const IS_VISIBLE = {
  name: 'users-is-visible',
  text: `select from users where id = $1 and closed_at_us is null and not ${blocks('$1', '$2')}`,
};

interface ProfileRow extends PublicUser, Pick<User, 'email' | 'phone'> {
  readonly friendsCount: number;
  readonly isFriend: boolean;
}

/** Returns the data of users that other users and services may read, by prepared statements. */
@Controller()
export class UsersController {
  constructor(
    @Inject(POOL) private readonly pool: Pool,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'publicUrl' | 'contactVisibility'>,
    /** Null: every profile is read. */
    @Inject(PROFILES) private readonly profiles: ResultCache<Profile> | null = null,
  ) {}

  /** Errors: `resource_not_found`, also if the user has blocked the viewer, with the same response; `service_unavailable`. */
  @OnRequest(getProfile)
  async profile(query: GetProfile): Promise<Profile> {
    const { userId, viewerId } = query;
    if (!isId(userId)) throw noSuchUser();
    if (this.profiles === null) return this.#readProfile(query);
    return this.profiles.get(`${userId} ${viewerId}`, async () => {
      const result = await this.#readProfile(query);
      return { result, dependsOn: [userId, viewerId], bytes: bytesOf(result) };
    });
  }

  async #readProfile({ userId, viewerId }: GetProfile): Promise<Profile> {
    const [row] = (await this.#query<ProfileRow>(PROFILE, [userId, viewerId])).rows;
    if (!row) throw noSuchUser();
    const { publicUrl, contactVisibility } = this.settings;
    const isFriend = userId === viewerId ? null : row.isFriend;
    const { email, phone } = showsContact(contactVisibility, isFriend) ? row : { email: null, phone: null };
    return { ...toCard(row, publicUrl), email, phone, isFriend, friendsCount: row.friendsCount };
  }

  /** Errors as `profile`. */
  @OnRequest(listFriends)
  async friends({ userId, viewerId, limit, offset = 0, after, before }: ListFriends): Promise<FriendsPage> {
    if (!isId(userId)) throw noSuchUser();
    const viewer = viewerId ?? NO_VIEWER;
    const bounds = [toBigint(after ?? '0'), toBigint(before ?? String(MAX_BIGINT))];
    // One more than the limit shows whether there is a further page.
    const { rows } = await this.#query<PublicUser>(FRIENDS, [userId, ...bounds, limit + 1, offset, viewer]);
    const isHidden = rows.length === 0 && (await this.#query(IS_VISIBLE, [userId, viewer])).rowCount === 0;
    if (isHidden) throw noSuchUser();
    return {
      friends: rows.slice(0, limit).map((row) => toCard(row, this.settings.publicUrl)),
      hasMore: rows.length > limit,
    };
  }

  #query<Row extends object>(statement: { name: string; text: string }, values: unknown[]): Promise<QueryResult<Row>> {
    return readOrThrowUnavailable(this.pool.query<Row>({ ...statement, values }));
  }
}

function bytesOf({ username, firstName, lastName, displayName, about, profilePictureUrl }: Profile): number {
  const texts = [username, firstName, lastName, displayName, about, profilePictureUrl];
  return texts.reduce((sum, text) => sum + text.length * CHARACTER_BYTES, PROFILE_BYTES);
}

/** @param isFriend null for the user's own record */
function showsContact(visibility: ContactVisibility, isFriend: boolean | null): boolean {
  if (visibility === 'everyone' || isFriend === null) return true;
  return visibility === 'friends' && isFriend;
}

/** The digits of a bound can exceed the range of the database type. */
function toBigint(digits: string): bigint {
  const value = BigInt(digits);
  return value < MAX_BIGINT ? value : MAX_BIGINT;
}
