import {
  SettleError,
  isId,
  type FriendsPage,
  type GetProfile,
  type ListFriends,
  type Profile,
} from '@settle/contracts';
import type { ContactVisibility } from '@settle/config';
import type { Pool } from 'pg';
import { toCard, type PublicUser } from '../announcements/records.js';

const MAX_BIGINT = 2n ** 63n - 1n;
/** An id that no user has and no user blocks. */
const NO_VIEWER = '0';

const CARD_COLUMNS = `u.id, u.username, u.first_name as "firstName", u.last_name as "lastName",
  u.display_name as "displayName", u.about, u.picture_url as "pictureUrl", u.joined_at_us as "joinedAtUs"`;

/** Returns SQL for whether one user has blocked another: each side of a pair has its own flag. */
function blocks(userId: string, otherId: string): string {
  return `exists (select from pairs b where b.low = least(${userId}::bigint, ${otherId}::bigint)
    and b.high = greatest(${userId}::bigint, ${otherId}::bigint)
    and case when b.low = ${userId} then b.low_blocks_high else b.high_blocks_low end)`;
}

const PROFILE = {
  name: 'users-profile',
  text: `select ${CARD_COLUMNS}, u.email, u.phone,
      (select count(*) from pairs p where p.low = u.id and p.are_friends)
        + (select count(*) from pairs p where p.high = u.id and p.are_friends) as "friendsCount",
      exists (select from pairs p where p.low = least(u.id, $2) and p.high = greatest(u.id, $2) and p.are_friends)
        as "isFriend"
    from users u where u.id = $1 and not ${blocks('$1', '$2')}`,
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
  text: `select from users where id = $1 and not ${blocks('$1', '$2')}`,
};

interface ProfileRow extends PublicUser {
  readonly email: string | null;
  readonly phone: string | null;
  readonly friendsCount: string;
  readonly isFriend: boolean;
}

/** The data of users that other users and services may read, by prepared statements. */
export class UserQueries {
  constructor(
    private readonly pool: Pool,
    private readonly publicUrl: string,
    private readonly contactVisibility: ContactVisibility,
  ) {}

  /** Errors: `resource_not_found`, also if the user has blocked the viewer, with the same response. */
  async profile({ userId, viewerId }: GetProfile): Promise<Profile> {
    if (!isId(userId)) throw noSuchPerson();
    const found = await this.pool.query<ProfileRow>({ ...PROFILE, values: [userId, viewerId] });
    const row = found.rows[0];
    if (!row) throw noSuchPerson();
    const isFriend = userId === viewerId ? null : row.isFriend;
    const contact = showsContact(this.contactVisibility, isFriend);
    return {
      ...this.#card(row),
      email: contact ? row.email : null,
      phone: contact ? row.phone : null,
      isFriend,
      friendsCount: Number(row.friendsCount),
    };
  }

  /** Errors as `profile`. */
  async friends({ userId, viewerId, limit, offset = 0, after, before }: ListFriends): Promise<FriendsPage> {
    if (!isId(userId)) throw noSuchPerson();
    const viewer = viewerId ?? NO_VIEWER;
    const bounds = [toBigint(after ?? '0'), toBigint(before ?? String(MAX_BIGINT))];
    // One more than asked for tells whether there is a further page.
    const values = [userId, ...bounds, limit + 1, offset, viewer];
    const found = await this.pool.query<PublicUser>({ ...FRIENDS, values });
    if (found.rows.length === 0) await this.#refuseHidden(userId, viewer);
    return {
      friends: found.rows.slice(0, limit).map((row) => this.#card(row)),
      hasMore: found.rows.length > limit,
    };
  }

  #card(row: PublicUser) {
    return toCard({ ...row, joinedAtUs: Number(row.joinedAtUs) }, this.publicUrl);
  }

  async #refuseHidden(userId: string, viewer: string): Promise<void> {
    const found = await this.pool.query({ ...IS_VISIBLE, values: [userId, viewer] });
    if (found.rowCount === 0) throw noSuchPerson();
  }
}

/** @param isFriend null for the user's own record */
export function showsContact(visibility: ContactVisibility, isFriend: boolean | null): boolean {
  if (visibility === 'everyone' || isFriend === null) return true;
  return visibility === 'friends' && isFriend;
}

/** The digits of a bound can exceed the range of the database type. */
function toBigint(digits: string): bigint {
  const value = BigInt(digits);
  return value < MAX_BIGINT ? value : MAX_BIGINT;
}

function noSuchPerson(): SettleError {
  return new SettleError('resource_not_found', 'There is no user with this id.');
}
