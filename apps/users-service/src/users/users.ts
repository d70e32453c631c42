import { FIRST_RECORD_EPOCH, SettleError, compareIds, type AddressKind, type Audience } from '@settle/contracts';
import { In, QueryFailedError, type EntityManager } from 'typeorm';
import { announcePair, announceUsers } from '../announcements/announcements.js';
import { buildUserRow, parseNormalizedAddress, parseAddress, type NewUser } from './new-user.js';
import { HIGH_TRUST, LOW_TRUST, NO_TRUST, Pair } from '../storage/pair.entity.js';
import { ProvenAddressRow } from '../storage/proven-address.entity.js';
import { readRecordEpoch } from '../announcements/record-epoch.js';
import { selectShownAddress, type ChangedAddress } from './shown-address.js';
import type { RecordVersion } from './await-payments-replica.js';
import { User } from '../storage/user.entity.js';

export interface AddressVerification {
  readonly userId: string;
  readonly kind: AddressKind;
  /** As spelled by the user who verified it. */
  readonly address: string;
  /** Microseconds since 1970; the latest verification of an address wins. */
  readonly provenAtUs: number;
}

export interface OwnedAddress {
  readonly userId: string;
  readonly kind: AddressKind;
  readonly value: string;
}

export interface UserChange {
  readonly firstName?: string;
  readonly lastName?: string;
  readonly displayName?: string;
  readonly about?: string;
  readonly defaultAudience?: Audience;
  readonly isBusiness?: boolean;
  readonly legacyAccess?: boolean;
  readonly verified?: boolean;
  readonly isFrozen?: boolean;
  readonly fundingSourceId?: string | null;
  readonly fundingSourceLastFour?: string | null;
}

export interface Trust {
  readonly userId: string;
  readonly friendId: string;
  readonly trusts: boolean;
  /**
   * The most that may be charged without approval within 24 hours, in cents; null: no limit; absent: unchanged.
   * Withdrawn trust has none.
   */
  readonly amountPerDayCents?: number | null | undefined;
}

export interface Block {
  readonly userId: string;
  readonly otherId: string;
  readonly blocks: boolean;
}

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
  async createUser(person: NewUser): Promise<void> {
    const user = buildUserRow(person);
    await this.manager.transaction(async (manager) => {
      await manager.insert(User, user).catch((error: unknown) => {
        throw isRefused(error, UNIQUE_VIOLATION, 'users_by_username')
          ? new SettleError('invalid_request', 'This username is taken.')
          : error;
      });
      await announceUsers(manager, [user], this.publicUrl);
    });
  }

  /** Makes this user the only owner of the address. Errors: `invalid_email`, `invalid_phone`. */
  async verifyAddress({ userId, kind, address, provenAtUs }: AddressVerification): Promise<void> {
    const value = parseNormalizedAddress(kind, address);
    await this.manager.transaction(async (manager) => {
      await lockAddress(manager, kind, value);
      const held = await manager.findOneBy(ProvenAddressRow, { kind, value });
      if (held && held.provenAtUs >= provenAtUs) return;
      const loserIds = held && held.userId !== userId ? [held.userId] : [];
      const users = await lockUsers(manager, [userId, ...loserIds]);
      await manager.upsert(ProvenAddressRow, { kind, value, userId, provenAtUs }, ['kind', 'value']);
      await this.#showAddresses(manager, users, { kind, value, spelling: parseAddress(kind, address) });
    });
  }

  /** Removes the address if this user owns it. @param value normalized */
  async removeAddress({ userId, kind, value }: OwnedAddress): Promise<void> {
    await this.manager.transaction(async (manager) => {
      await lockAddress(manager, kind, value);
      const users = await lockUsers(manager, [userId]);
      const { affected } = await manager.delete(ProvenAddressRow, { kind, value, userId });
      if (affected) await this.#showAddresses(manager, users, { kind, value, spelling: value });
    });
  }

  changeUser(userId: string, change: UserChange): Promise<RecordVersion> {
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
  unfriend(userId: string, otherId: string): Promise<RecordVersion> {
    return this.manager.transaction(async (manager) => {
      const pair = await lockPair(manager, userId, otherId);
      if (pair.areFriends) return updatePair(manager, pair, { areFriends: false, ...NO_TRUST });
      return leaveUnchanged(manager, pair);
    });
  }

  /**
   * `friendId` may charge `userId` without approval from now on, or no longer. Error: `not_permitted` unless they are
   * friends.
   */
  setTrust({ userId, friendId, trusts, amountPerDayCents }: Trust): Promise<RecordVersion> {
    return this.manager.transaction(async (manager) => {
      const pair = await lockPair(manager, userId, friendId);
      if (!pair.areFriends) throw new SettleError('not_permitted', 'Only a friend can be trusted.');
      const side = userId === pair.low ? LOW_TRUST : HIGH_TRUST;
      const cents = trusts ? (amountPerDayCents === undefined ? pair[side.amount] : amountPerDayCents) : null;
      if (pair[side.trust] === trusts && pair[side.amount] === cents) return leaveUnchanged(manager, pair);
      return updatePair(manager, pair, { [side.trust]: trusts, [side.amount]: cents });
    });
  }

  /** `userId` blocks or unblocks `otherId`. While either blocks the other, no money moves between them. */
  setBlock({ userId, otherId, blocks }: Block): Promise<RecordVersion> {
    return this.manager.transaction(async (manager) => {
      const pair = await lockPair(manager, userId, otherId);
      const side = userId === pair.low ? 'lowBlocksHigh' : 'highBlocksLow';
      if (pair[side] !== blocks) return updatePair(manager, pair, { [side]: blocks });
      return leaveUnchanged(manager, pair);
    });
  }

  async #showAddresses(manager: EntityManager, users: readonly User[], changed: ChangedAddress): Promise<void> {
    for (const user of users) {
      const proven = await manager.findBy(ProvenAddressRow, { userId: user.id });
      await this.#updateUsers(manager, [user], selectShownAddress(user, proven, changed));
    }
  }

  async #updateUsers(manager: EntityManager, users: readonly User[], change: Partial<User>): Promise<User[]> {
    const updated = users.map((user) => ({ ...user, ...change, version: user.version + 1 }));
    for (const user of updated) await manager.update(User, user.id, { ...change, version: user.version });
    await announceUsers(manager, updated, this.publicUrl);
    return updated;
  }
}

/** There may be no row to lock yet. Addresses are always locked before users, so that there is no deadlock. */
async function lockAddress(manager: EntityManager, kind: AddressKind, value: string): Promise<void> {
  await manager.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`${kind}:${value}`]);
}

/** Locks in the order of the ids, so that concurrent changes of the same users cannot deadlock. */
async function lockUsers(manager: EntityManager, userIds: readonly string[]): Promise<User[]> {
  const users = await manager.find(User, {
    where: { id: In([...userIds]) },
    order: { id: 'ASC' },
    lock: { mode: 'for_no_key_update' },
  });
  if (users.length < userIds.length) throw noSuchPerson();
  return users;
}

/** Locks the row of the pair. If there is none, creates one, which a failed change rolls back. */
async function lockPair(manager: EntityManager, userId: string, otherId: string): Promise<Pair> {
  if (userId === otherId) throw new SettleError('invalid_request', 'The two users must be different.');
  const [low, high] = compareIds(userId, otherId) < 0 ? [userId, otherId] : [otherId, userId];
  await manager
    .createQueryBuilder()
    .insert()
    .into(Pair)
    .values({
      low,
      high,
      areFriends: false,
      ...NO_TRUST,
      lowBlocksHigh: false,
      highBlocksLow: false,
      version: 0,
    })
    .orIgnore()
    .execute()
    .catch((error: unknown) => {
      throw isRefused(error, FOREIGN_KEY_VIOLATION) ? noSuchPerson() : error;
    });
  return manager.findOneOrFail(Pair, { where: { low, high }, lock: { mode: 'for_no_key_update' } });
}

async function updatePair(manager: EntityManager, pair: Pair, change: Partial<Pair>): Promise<RecordVersion> {
  const updated = { ...pair, ...change, version: pair.version + 1 };
  await manager.update(Pair, { low: pair.low, high: pair.high }, { ...change, version: updated.version });
  await announcePair(manager, updated);
  return versionOf(updated, await readRecordEpoch(manager));
}

/** Publishes a pair that has no row: after a restore, consumers may have one from after the backup. */
async function leaveUnchanged(manager: EntityManager, pair: Pair): Promise<RecordVersion> {
  const epoch = await readRecordEpoch(manager);
  if (pair.version === 0) {
    if (epoch > FIRST_RECORD_EPOCH) return updatePair(manager, pair, {});
    await manager.delete(Pair, { low: pair.low, high: pair.high });
  }
  return versionOf(pair, epoch);
}

function versionOf({ low, high, version }: Pair, epoch: number): RecordVersion {
  return { key: `pair:${low}:${high}`, epoch, version };
}

const UNIQUE_VIOLATION = '23505';
const FOREIGN_KEY_VIOLATION = '23503';

function isRefused(error: unknown, sqlState: string, constraint?: string): boolean {
  if (!(error instanceof QueryFailedError)) return false;
  const { code, constraint: refusing } = error.driverError as { code?: string; constraint?: string };
  return code === sqlState && (constraint === undefined || constraint === refusing);
}

function noSuchPerson(): SettleError {
  return new SettleError('resource_not_found', 'There is no user with this id.');
}
