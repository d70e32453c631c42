import { LIMITS } from '@settle/config';
import {
  SettleError,
  compareIds,
  type AskFriend,
  type ChangeFriendship,
  type Friend,
  type FriendAsked,
  type Friendships,
} from '@settle/contracts';
import type { MessageClient } from '@settle/messaging';
import { databaseFailures, isServerUnavailable } from '@settle/postgres';
import { Raw, type DataSource, type EntityManager } from 'typeorm';
import { FriendRequest } from '../storage/friend-request.entity.js';
import { Pair } from '../storage/pair.entity.js';
import { Users, type Trust } from '../users/users.js';
import { toCard } from '../announcements/records.js';
import { awaitPaymentsReplica, type RecordVersion } from '../users/await-payments-replica.js';
import { User } from '../storage/user.entity.js';

/** Relations between users. Every command is idempotent. */
export class Friends {
  constructor(
    private readonly dataSource: DataSource,
    private readonly publicUrl: string,
    private readonly client: MessageClient,
  ) {}

  /** Error: `service_unavailable`. */
  list(userId: string): Promise<Friendships> {
    return orUnavailable(async () => {
      const { manager } = this.dataSource;
      const pairs = await manager.findBy(Pair, [{ low: userId }, { high: userId }]);
      const requests = await manager.findBy(FriendRequest, [{ fromId: userId }, { toId: userId }]);
      const cards = async (ids: readonly string[]) => {
        const users = await manager.find(User, {
          where: { id: Raw((column) => `${column} = any(:ids)`, { ids }) },
          order: { displayName: 'ASC', id: 'ASC' },
          take: LIMITS.users.friendsShown,
        });
        return users.map((user) => toCard(user, this.publicUrl));
      };
      const other = ({ low, high }: Pair) => (low === userId ? high : low);
      const trusts = new Map(pairs.map((pair) => [other(pair), trustOf(pair, userId)]));
      const blocks = pairs.filter((pair) => (pair.low === userId ? pair.lowBlocksHigh : pair.highBlocksLow));
      const friends = await cards(pairs.filter(({ areFriends }) => areFriends).map(other));
      return {
        friends: friends.map((card) => ({ ...card, ...(trusts.get(card.id) ?? NO_TRUST) })),
        incoming: await cards(requests.filter(({ toId }) => toId === userId).map(({ fromId }) => fromId)),
        outgoing: await cards(requests.filter(({ fromId }) => fromId === userId).map(({ toId }) => toId)),
        blocked: await cards(blocks.map(other)),
      };
    });
  }

  /** Errors: `resource_not_found`, `invalid_request`, `not_permitted`, `service_unavailable`. */
  ask({ userId, username }: AskFriend): Promise<FriendAsked> {
    return this.#change(async (manager, people) => {
      const named = { username: Raw((column) => `lower(${column}) = lower(:username)`, { username }) };
      const user = await manager.findOneBy(User, named);
      if (user === null) throw new SettleError('resource_not_found', 'No user has this username. Check the spelling.');
      if (user.id === userId) throw new SettleError('invalid_request', 'This is your own username.');
      await lockTwo(manager, userId, user.id);
      const pair = await manager.findOneBy(Pair, pairOf(userId, user.id));
      if (pair?.areFriends) return { outcome: 'friends' };
      if (pair?.lowBlocksHigh || pair?.highBlocksLow) {
        throw new SettleError('not_permitted', 'One of you has blocked the other.');
      }
      if (await manager.existsBy(FriendRequest, { fromId: user.id, toId: userId })) {
        await makeFriends(manager, people, { userId, otherId: user.id });
        return { outcome: 'friends' };
      }
      await manager.upsert(FriendRequest, { fromId: userId, toId: user.id }, ['fromId', 'toId']);
      if ((await manager.countBy(FriendRequest, { fromId: userId })) > LIMITS.users.friendRequestsPerPerson) {
        throw new SettleError('not_permitted', 'You have too many open friend requests. Withdraw one first.');
      }
      return { outcome: 'asked' };
    });
  }

  /** Errors: `resource_not_found`, `not_permitted`, `service_unavailable`; `outcome_unknown`: see `awaitPaymentsReplica`. */
  async change(request: ChangeFriendship): Promise<void> {
    const version = await this.#change(async (manager, people) => {
      await lockTwo(manager, request.userId, request.otherId);
      return act(manager, people, request);
    });
    if (version !== null) await awaitPaymentsReplica(this.client, version);
  }

  #change<Result>(work: (manager: EntityManager, people: Users) => Promise<Result>): Promise<Result> {
    return orUnavailable(() =>
      this.dataSource.transaction((manager) => work(manager, new Users(manager, this.publicUrl))),
    );
  }
}

/** Returns the version that payments-service must have before the change is confirmed; null: no need to wait. */
async function act(
  manager: EntityManager,
  people: Users,
  { userId, otherId, action, amountPerDayCents }: ChangeFriendship,
): Promise<RecordVersion | null> {
  switch (action) {
    case 'accept':
      if (!(await manager.existsBy(FriendRequest, { fromId: otherId, toId: userId }))) {
        throw new SettleError('resource_not_found', 'This friend request no longer exists.');
      }
      await makeFriends(manager, people, { userId, otherId });
      return null;
    case 'decline':
      await forgetRequests(manager, { userId, otherId });
      return null;
    case 'remove':
      return people.unfriend(userId, otherId);
    case 'trust':
      return trust(people, { userId, friendId: otherId, trusts: true, amountPerDayCents });
    case 'distrust':
      return people.setTrust({ userId, friendId: otherId, trusts: false });
    case 'block':
      await forgetRequests(manager, { userId, otherId });
      await people.unfriend(userId, otherId);
      return people.setBlock({ userId, otherId, blocks: true });
    case 'unblock':
      await people.setBlock({ userId, otherId, blocks: false });
      return null;
  }
}

/** A lower amount also takes something away. */
async function trust(people: Users, given: Trust): Promise<RecordVersion | null> {
  const version = await people.setTrust(given);
  return (given.amountPerDayCents ?? null) === null ? null : version;
}

const NO_TRUST = { isTrusted: false, trustAmountPerDayCents: null };

/** Returns the trust that a user gives the other user of a pair. */
function trustOf(pair: Pair, userId: string): Pick<Friend, 'isTrusted' | 'trustAmountPerDayCents'> {
  const isLow = pair.low === userId;
  return {
    isTrusted: isLow ? pair.lowTrustsHigh : pair.highTrustsLow,
    trustAmountPerDayCents: isLow ? pair.lowAmountPerDayCents : pair.highAmountPerDayCents,
  };
}

type Two = Pick<ChangeFriendship, 'userId' | 'otherId'>;

async function makeFriends(manager: EntityManager, people: Users, { userId, otherId }: Two): Promise<void> {
  await forgetRequests(manager, { userId, otherId });
  await people.befriend(userId, otherId);
}

async function forgetRequests(manager: EntityManager, { userId, otherId }: Two): Promise<void> {
  await manager.delete(FriendRequest, { fromId: userId, toId: otherId });
  await manager.delete(FriendRequest, { fromId: otherId, toId: userId });
}

function pairOf(userId: string, otherId: string): Pick<Pair, 'low' | 'high'> {
  const [low, high] = compareIds(userId, otherId) < 0 ? [userId, otherId] : [otherId, userId];
  return { low, high };
}

/**
 * Locks both users: of two concurrent requests in opposite directions one makes them friends, and a blocked user cannot
 * send one. There may be no row of the pair to lock yet.
 */
async function lockTwo(manager: EntityManager, userId: string, otherId: string): Promise<void> {
  const { low, high } = pairOf(userId, otherId);
  await manager.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`friends:${low}:${high}`]);
}

async function orUnavailable<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!isServerUnavailable(error)) throw error;
    databaseFailures.record(error);
    throw new SettleError('service_unavailable', 'The database cannot be reached. Send it again in a moment.');
  }
}
