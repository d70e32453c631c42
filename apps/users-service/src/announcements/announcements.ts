import {
  usersState,
  usersStateKey,
  type UsersKnown,
  type UsersStateRecord,
  type VerifiedAddress,
} from '@settle/contracts';
import { addToOutbox } from '@settle/postgres';
import { In, MoreThan, type DataSource, type EntityManager } from 'typeorm';
import { Pair } from '../storage/pair.entity.js';
import { VerifiedAddressRow } from '../storage/verified-address.entity.js';
import { noteAnnounced } from './committed-changes.js';
import { readRecordEpoch } from './record-epoch.js';
import { toCard } from './records.js';
import { User } from '../storage/user.entity.js';

const BATCH_SIZE = 200;

/** Writes the complete record of each user to the outbox. The caller must hold the locks of their rows. */
export async function announceUsers(manager: EntityManager, users: readonly User[], publicUrl: string): Promise<void> {
  const addresses = await manager.find(VerifiedAddressRow, {
    where: { userId: In(users.map(({ id }) => id)) },
    order: { kind: 'ASC', provenAtUs: 'DESC' },
  });
  const epoch = await readRecordEpoch(manager);
  for (const user of users) {
    const { version, defaultAudience, isBusiness, isFrozen, fundingSourceId } = user;
    const own = addresses.filter(({ userId }) => userId === user.id).map(toVerifiedAddress);
    const isClosed = user.closedAtUs === null ? {} : { isClosed: true };
    const card = toCard(user, publicUrl);
    const fields = { card, defaultAudience, isBusiness, isFrozen, fundingSourceId, ...isClosed };
    await announce(manager, { kind: 'user', epoch, version, ...fields, addresses: own });
  }
}

/** Changes a pair and writes its complete record to the outbox. The caller must hold the lock of its row. */
export async function updatePair(manager: EntityManager, pair: Pair, change: Partial<Pair>): Promise<UsersKnown> {
  const version = pair.version + 1;
  await manager.update(Pair, { low: pair.low, high: pair.high }, { ...change, version });
  const epoch = await readRecordEpoch(manager);
  const key = await announce(manager, { kind: 'pair', epoch, ...pair, ...change, version });
  return { key, epoch, version };
}

export function toVerifiedAddress({ kind, value, provenAtUs }: VerifiedAddressRow): VerifiedAddress {
  return { kind, value, provenAtUs };
}

async function announce(manager: EntityManager, record: UsersStateRecord): Promise<string> {
  const key = usersStateKey(record);
  noteAnnounced(manager, key);
  await addToOutbox(manager, usersState, key, record);
  return key;
}

/** Waits until the records of these keys are published; rejects to stop after this batch. */
type Published = (keys: readonly string[]) => Promise<void>;

/**
 * Publishes every user and then every pair again, each with its next version, for a consumer with a wrong copy. Awaits
 * `published` after each batch, which limits the size of the outbox.
 */
export async function announceEverything(
  dataSource: DataSource,
  publicUrl: string,
  published: Published,
): Promise<void> {
  for (let after: string | undefined = '0'; after !== undefined;) {
    const users: User[] = await announceUsersAfter(dataSource, after, publicUrl);
    await published(users.map(({ id }) => `user:${id}`));
    after = users.at(-1)?.id;
  }
  for (let after: PairKey | undefined = { low: '0', high: '0' }; after !== undefined;) {
    const pairs: Pair[] = await announcePairsAfter(dataSource, after);
    await published(pairs.map(({ low, high }) => `pair:${low}:${high}`));
    after = pairs.at(-1);
  }
}

type PairKey = Pick<Pair, 'low' | 'high'>;

function announceUsersAfter(dataSource: DataSource, after: string, publicUrl: string): Promise<User[]> {
  return dataSource.transaction(async (manager) => {
    const users = await manager.find(User, {
      where: { id: MoreThan(after) },
      order: { id: 'ASC' },
      take: BATCH_SIZE,
      lock: { mode: 'for_no_key_update' },
    });
    await manager.increment(User, { id: In(users.map(({ id }) => id)) }, 'version', 1);
    const updated = users.map((user) => ({ ...user, version: user.version + 1 }));
    await announceUsers(manager, updated, publicUrl);
    return updated;
  });
}

function announcePairsAfter(dataSource: DataSource, after: PairKey): Promise<Pair[]> {
  return dataSource.transaction(async (manager) => {
    const pairs = await manager
      .createQueryBuilder(Pair, 'pair')
      .where('(pair.low, pair.high) > (:low::bigint, :high::bigint)', after)
      .orderBy('pair.low')
      .addOrderBy('pair.high')
      .take(BATCH_SIZE)
      .setLock('for_no_key_update')
      .getMany();
    for (const pair of pairs) await updatePair(manager, pair, {});
    return pairs;
  });
}
