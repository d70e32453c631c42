import { SANDBOX_TEST_USER, sandboxTestUserCard, type AddressKind, type UserRecord } from '@settle/contracts';
import type { UserReplica, TwoUsers } from './user-replica.js';

/** The live users, of whom a sandbox payment finds only friends and none has a funding source, and the sandbox's test user. */
export class SandboxUserReplica implements UserReplica {
  readonly #testUser: UserRecord;

  constructor(
    private readonly live: UserReplica,
    publicUrl: string,
  ) {
    this.#testUser = {
      kind: 'user',
      version: 1,
      card: sandboxTestUserCard(publicUrl),
      defaultAudience: 'private',
      isBusiness: false,
      isFrozen: false,
      fundingSourceId: null,
      addresses: [],
    };
  }

  async findUser(userId: string): Promise<UserRecord | null> {
    return userId === SANDBOX_TEST_USER.id ? this.#testUser : withoutSource(await this.live.findUser(userId));
  }

  async findTwo(userId: string, otherId: string): Promise<TwoUsers> {
    if (otherId === SANDBOX_TEST_USER.id)
      return { one: await this.findUser(userId), other: this.#testUser, pair: null };
    const { one, other, pair } = await this.live.findTwo(userId, otherId);
    return { one: withoutSource(one), other: withoutSource(other), pair };
  }

  /** The address of a stranger counts as unregistered: an app that tries things out is no directory of users. */
  async findOwner(kind: AddressKind, value: string, forUserId: string): Promise<string | null> {
    if (value === SANDBOX_TEST_USER[kind]) return SANDBOX_TEST_USER.id;
    const ownerId = await this.live.findOwner(kind, value, forUserId);
    if (ownerId === null || ownerId === forUserId) return ownerId;
    return isResolvedInSandbox(await this.live.findTwo(forUserId, ownerId)) ? ownerId : null;
  }
}

/** Whether a sandbox payment finds its target: a friend or the test user. */
export function isResolvedInSandbox({ other, pair }: TwoUsers): boolean {
  return other?.card.id === SANDBOX_TEST_USER.id || pair?.areFriends === true;
}

function withoutSource<User extends UserRecord | null>(user: User): User {
  return user && { ...user, fundingSourceId: null };
}
