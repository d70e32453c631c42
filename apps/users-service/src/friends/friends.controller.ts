import { LIMITS, type Settings } from '@settle/config';
import {
  AskFriend,
  ChangeFriendship,
  GetFriendships,
  SettleError,
  askFriend,
  changeFriendship,
  getFriendships,
  type FriendRequestResult,
  type Friendships,
  type UsersKnown,
} from '@settle/contracts';
import { MessageClient, OnRequest } from '@settle/messaging';
import { Controller, Inject } from '@nestjs/common';
import { DataSource, Raw, type EntityManager } from 'typeorm';
import { SETTINGS } from '../injection/providers.js';
import { FriendRequest } from '../storage/friend-request.entity.js';
import { Pair, pairOf, sideOf } from '../storage/pair.entity.js';
import { orUnavailable } from '../users/user-errors.js';
import { Users, findByUsername, lockName } from '../users/users.js';
import { toCard } from '../announcements/records.js';
import { awaitPaymentsReplica } from '../users/await-payments-replica.js';
import { User } from '../storage/user.entity.js';

/** Handles auth-service's requests about the friends of the signed-in user. Every command is idempotent. */
@Controller()
export class FriendsController {
  constructor(
    private readonly dataSource: DataSource,
    private readonly client: MessageClient,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'publicUrl'>,
  ) {}

  /** Error: `service_unavailable`. */
  @OnRequest(getFriendships)
  list({ userId }: GetFriendships): Promise<Friendships> {
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
        return users.map((user) => toCard(user, this.settings.publicUrl));
      };
      const other = ({ low, high }: Pair) => (low === userId ? high : low);
      const trustIn = (pair: Pair) => {
        const { trusts, amount } = sideOf(pair, userId);
        return { isTrusted: pair[trusts], trustAmountPerDayCents: pair[amount] };
      };
      const trusts = new Map(pairs.map((pair) => [other(pair), trustIn(pair)]));
      const blocks = pairs.filter((pair) => pair[sideOf(pair, userId).blocks]);
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
  @OnRequest(askFriend)
  request({ userId, username }: AskFriend): Promise<FriendRequestResult> {
    return this.#change(async (manager, users) => {
      const user = await findByUsername(manager, username);
      if (user === null) throw new SettleError('resource_not_found', 'No user has this username. Check the spelling.');
      if (user.id === userId) throw new SettleError('invalid_request', 'This is your own username.');
      await lockTwo(manager, userId, user.id);
      const pair = await manager.findOneBy(Pair, pairOf(userId, user.id));
      if (pair?.areFriends) return { outcome: 'friends' };
      if (pair?.lowBlocksHigh || pair?.highBlocksLow) {
        throw new SettleError('not_permitted', 'One of you has blocked the other.');
      }
      if (await manager.existsBy(FriendRequest, { fromId: user.id, toId: userId })) {
        await makeFriends(manager, users, { userId, otherId: user.id });
        return { outcome: 'friends' };
      }
      await manager.upsert(FriendRequest, { fromId: userId, toId: user.id }, ['fromId', 'toId']);
      if ((await manager.countBy(FriendRequest, { fromId: userId })) > LIMITS.users.friendRequestsPerUser) {
        throw new SettleError('not_permitted', 'You have too many open friend requests. Withdraw one first.');
      }
      return { outcome: 'asked' };
    });
  }

  /** Errors: `resource_not_found`, `not_permitted`, `service_unavailable`; `outcome_unknown`: see `awaitPaymentsReplica`. */
  @OnRequest(changeFriendship)
  async change(request: ChangeFriendship): Promise<ChangeFriendship> {
    const version = await this.#change(async (manager, users) => {
      await lockTwo(manager, request.userId, request.otherId);
      return act(manager, users, request);
    });
    if (version !== null) await awaitPaymentsReplica(this.client, version);
    return request;
  }

  #change<Result>(work: (manager: EntityManager, users: Users) => Promise<Result>): Promise<Result> {
    const { publicUrl } = this.settings;
    return orUnavailable(() => this.dataSource.transaction((manager) => work(manager, new Users(manager, publicUrl))));
  }
}

/** Returns the version that payments-service must have before the change is confirmed; null: no need to wait. */
async function act(
  manager: EntityManager,
  users: Users,
  { userId, otherId, action, amountPerDayCents }: ChangeFriendship,
): Promise<UsersKnown | null> {
  switch (action) {
    case 'accept':
      if (!(await manager.existsBy(FriendRequest, { fromId: otherId, toId: userId }))) {
        throw new SettleError('resource_not_found', 'This friend request no longer exists.');
      }
      await makeFriends(manager, users, { userId, otherId });
      return null;
    case 'decline':
      await forgetRequests(manager, { userId, otherId });
      return null;
    case 'remove':
      return users.unfriend(userId, otherId);
    case 'trust': {
      const version = await users.setTrust({ userId, friendId: otherId, trusts: true, amountPerDayCents });
      // A lower amount also takes something away.
      return (amountPerDayCents ?? null) === null ? null : version;
    }
    case 'distrust':
      return users.setTrust({ userId, friendId: otherId, trusts: false });
    case 'block':
      await forgetRequests(manager, { userId, otherId });
      await users.unfriend(userId, otherId);
      return users.setBlock({ userId, otherId, blocks: true });
    case 'unblock':
      await users.setBlock({ userId, otherId, blocks: false });
      return null;
  }
}

const NO_TRUST = { isTrusted: false, trustAmountPerDayCents: null };

type Two = Pick<ChangeFriendship, 'userId' | 'otherId'>;

async function makeFriends(manager: EntityManager, users: Users, { userId, otherId }: Two): Promise<void> {
  await forgetRequests(manager, { userId, otherId });
  await users.befriend(userId, otherId);
}

async function forgetRequests(manager: EntityManager, { userId, otherId }: Two): Promise<void> {
  await manager.delete(FriendRequest, { fromId: userId, toId: otherId });
  await manager.delete(FriendRequest, { fromId: otherId, toId: userId });
}

/**
 * Locks both users: of two concurrent requests in opposite directions one makes them friends, and a blocked user cannot
 * send one. There may be no row of the pair to lock yet.
 */
async function lockTwo(manager: EntityManager, userId: string, otherId: string): Promise<void> {
  const { low, high } = pairOf(userId, otherId);
  await lockName(manager, `friends:${low}:${high}`);
}
