import {
  FIRST_RECORD_EPOCH,
  SettleError,
  noSuchUser,
  normalizeAddress,
  normalizeUsername,
  usersStateKey,
  type ChangeFriendship,
  type RemoveAddress,
  type UsersKnown,
  type VerifyAddress,
} from '@settle/contracts';
import { In, IsNull, QueryFailedError, Raw, type EntityManager } from 'typeorm';
import { announceUsers, updatePair } from '../announcements/announcements.js';
import { buildUserRow, parseAddress, type NewUser } from './new-user.js';
import { NO_TRUST, Pair, pairOf, sideOf } from '../storage/pair.entity.js';
import { VerifiedAddressRow } from '../storage/verified-address.entity.js';
import { readRecordEpoch } from '../announcements/record-epoch.js';
import { selectShownAddress, type ChangedAddress } from './shown-address.js';
import { User } from '../storage/user.entity.js';

/** The fields of a user that change without a rule of their own. */
export type UserChange = Partial<
  Omit<User, 'id' | 'username' | 'joinedAtUs' | 'version' | 'pictureUrl' | 'email' | 'emailNormalized' | 'phone'>
>;

interface Trust {
  readonly userId: string;
  readonly friendId: string;
  readonly trusts: boolean;
  /**
   * The most that may be charged without approval within 24 hours, in cents; null: no limit; absent: unchanged.
   * Withdrawn trust has none.
   */
  readonly amountPerDayCents?: number | null | undefined;
}

type Block = Pick<ChangeFriendship, 'userId' | 'otherId'> & { readonly blocks: boolean };

/**
 * All changes of users and of the relations between them. Each writes its rows and the complete new record to the outbox
 * in one transaction, increments the version of the record, and resolves after the commit; a change without effect writes
 * nothing. A change that takes a right away resolves with the version for which its caller waits with `awaitPaymentsReplica`.
 * Error for unknown ids: `resource_not_found`.
 */
export class Users {
  /** @param manager of a data source, or of a transaction that several changes share */
  constructor(
    private readonly manager: EntityManager,
    private readonly publicUrl: string,
  ) {}

  /** Errors: `invalid_email`, `invalid_phone`; `invalid_request` when the username is taken. */
  async createUser(newUser: NewUser): Promise<void> {
    const user = buildUserRow(newUser);
    await this.manager.transaction(async (manager) => {
      await manager.insert(User, user).catch((error: unknown) => {
        throw isRefused(error, UNIQUE_VIOLATION, 'users_by_username')
          ? new SettleError('invalid_request', 'This username is taken.')
          : error;
      });
      await announceUsers(manager, [user], this.publicUrl);
    });
  }

  /** Makes this user the only owner of the address; the latest verification wins. Errors: `invalid_email`, `invalid_phone`. */
  async verifyAddress({ userId, kind, address, provenAtUs }: VerifyAddress): Promise<void> {
    const spelling = parseAddress(kind, address);
    const value = normalizeAddress(kind, spelling);
    await this.manager.transaction(async (manager) => {
      // Addresses are always locked before users, so that there is no deadlock.
      await lockName(manager, `${kind}:${value}`);
      const held = await manager.findOneBy(VerifiedAddressRow, { kind, value });
      if (held && held.provenAtUs >= provenAtUs) return;
      const loserIds = held && held.userId !== userId ? [held.userId] : [];
      const users = await lockUsers(manager, [userId, ...loserIds]);
      await manager.upsert(VerifiedAddressRow, { kind, value, userId, provenAtUs }, ['kind', 'value']);
      await this.#showAddresses(manager, users, { kind, value, spelling });
    });
  }

  /** Removes the address if this user owns it. @param value normalized */
  async removeAddress({ userId, kind, value }: RemoveAddress): Promise<void> {
    await this.manager.transaction(async (manager) => {
      await lockName(manager, `${kind}:${value}`);
      const users = await lockUsers(manager, [userId]);
      const { affected } = await manager.delete(VerifiedAddressRow, { kind, value, userId });
      if (affected) await this.#showAddresses(manager, users, { kind, value, spelling: value });
    });
  }

  changeUser(userId: string, change: UserChange): Promise<UsersKnown> {
    return this.manager.transaction(async (manager) => {
      const users = await lockUsers(manager, [userId]);
      const fields = Object.keys(change) as (keyof UserChange)[];
      const changed = users.filter((user) => fields.some((field) => user[field] !== change[field]));
      const updated = await this.#updateUsers(manager, changed, change);
      const version = Math.max(...[...users, ...updated].map((user) => user.version));
      return { key: `user:${userId}`, epoch: await readRecordEpoch(manager), version };
    });
  }

  /** Error: `invalid_request` if both are the same user. */
  async befriend(userId: string, otherId: string): Promise<void> {
    await this.manager.transaction(async (manager) => {
      const pair = await lockPair(manager, userId, otherId);
      if (!pair.areFriends) await updatePair(manager, pair, { areFriends: true });
    });
  }

  /** Also withdraws the trust of both. */
  unfriend(userId: string, otherId: string): Promise<UsersKnown> {
    return this.manager.transaction(async (manager) => {
      const pair = await lockPair(manager, userId, otherId);
      if (!pair.areFriends) return leaveUnchanged(manager, pair);
      return updatePair(manager, pair, { areFriends: false, ...NO_TRUST });
    });
  }

  /**
   * `friendId` may charge `userId` without approval from now on, or no longer. Error: `not_permitted` unless they are
   * friends.
   */
  setTrust({ userId, friendId, trusts, amountPerDayCents }: Trust): Promise<UsersKnown> {
    return this.manager.transaction(async (manager) => {
      const pair = await lockPair(manager, userId, friendId);
      if (!pair.areFriends) throw new SettleError('not_permitted', 'Only a friend can be trusted.');
      const side = sideOf(pair, userId);
      const cents = trusts ? (amountPerDayCents === undefined ? pair[side.amount] : amountPerDayCents) : null;
      if (pair[side.trusts] === trusts && pair[side.amount] === cents) return leaveUnchanged(manager, pair);
      return updatePair(manager, pair, { [side.trusts]: trusts, [side.amount]: cents });
    });
  }

  /** `userId` blocks or unblocks `otherId`. While either blocks the other, no money moves between them. */
  setBlock({ userId, otherId, blocks }: Block): Promise<UsersKnown> {
    return this.manager.transaction(async (manager) => {
      const pair = await lockPair(manager, userId, otherId);
      const side = sideOf(pair, userId).blocks;
      if (pair[side] !== blocks) return updatePair(manager, pair, { [side]: blocks });
      return leaveUnchanged(manager, pair);
    });
  }

  async #showAddresses(manager: EntityManager, users: readonly User[], changed: ChangedAddress): Promise<void> {
    for (const user of users) {
      const verified = await manager.findBy(VerifiedAddressRow, { userId: user.id });
      await this.#updateUsers(manager, [user], selectShownAddress(user, verified, changed));
    }
  }

  async #updateUsers(manager: EntityManager, users: readonly User[], change: Partial<User>): Promise<User[]> {
    const updated = users.map((user) => ({ ...user, ...change, version: user.version + 1 }));
    for (const user of updated) await manager.update(User, user.id, { ...change, version: user.version });
    await announceUsers(manager, updated, this.publicUrl);
    return updated;
  }
}

/** Locks a name until the transaction ends, for what may have no row to lock yet. */
export async function lockName(manager: EntityManager, name: string): Promise<void> {
  await manager.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [name]);
}

/** Locks in the order of the ids, so that concurrent changes of the same users cannot deadlock. */
async function lockUsers(manager: EntityManager, userIds: readonly string[]): Promise<User[]> {
  const users = await manager.find(User, {
    where: { id: In([...userIds]), closedAtUs: IsNull() },
    order: { id: 'ASC' },
    lock: { mode: 'for_no_key_update' },
  });
  if (users.length < userIds.length) throw noSuchUser();
  return users;
}

/** Locks the row of the pair. If there is none, creates one, which a failed change rolls back. */
async function lockPair(manager: EntityManager, userId: string, otherId: string): Promise<Pair> {
  if (userId === otherId) throw new SettleError('invalid_request', 'The two users must be different.');
  const key = pairOf(userId, otherId);
  await manager
    .createQueryBuilder()
    .insert()
    .into(Pair)
    .values({ ...key, areFriends: false, ...NO_TRUST, lowBlocksHigh: false, highBlocksLow: false, version: 0 })
    .orIgnore()
    .execute()
    .catch((error: unknown) => {
      throw isRefused(error, FOREIGN_KEY_VIOLATION) ? noSuchUser() : error;
    });
  return manager.findOneOrFail(Pair, { where: key, lock: { mode: 'for_no_key_update' } });
}

/** Publishes a pair that has no row: after a restore, consumers may have one from after the backup. */
async function leaveUnchanged(manager: EntityManager, pair: Pair): Promise<UsersKnown> {
  const epoch = await readRecordEpoch(manager);
  if (pair.version === 0) {
    if (epoch > FIRST_RECORD_EPOCH) return updatePair(manager, pair, {});
    await manager.delete(Pair, { low: pair.low, high: pair.high });
  }
  return { key: usersStateKey({ kind: 'pair', ...pair }), epoch, version: pair.version };
}

const UNIQUE_VIOLATION = '23505';
const FOREIGN_KEY_VIOLATION = '23503';

function isRefused(error: unknown, sqlState: string, constraint?: string): boolean {
  if (!(error instanceof QueryFailedError)) return false;
  const { code, constraint: refusing } = error.driverError as { code?: string; constraint?: string };
  return code === sqlState && (constraint === undefined || constraint === refusing);
}

/** Returns the user with this username in any case, or null. */
export function findByUsername(manager: EntityManager, username: string): Promise<User | null> {
  const normalized = { username: normalizeUsername(username) };
  return manager.findOneBy(User, {
    closedAtUs: IsNull(),
    username: Raw((column) => `lower(${column}) = :username`, normalized),
  });
}
