import {
  SANDBOX_TEST_USER,
  sandboxTestUserCard,
  type AddressKind,
  type UserRecord,
  type UsersStateRecord,
} from '@settle/contracts';
import type { KnownPeople, TwoPeople } from './known-people.js';
import type { OwnedAddress } from './save-records.js';

/** The real people, of whom a user finds only friends, none of whom has a funding source here, and the test user, whom nobody else knows. */
export class SandboxPeople implements KnownPeople {
  readonly #testUser: UserRecord;

  constructor(
    private readonly people: KnownPeople,
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

  isFilled(): Promise<boolean> {
    return this.people.isFilled();
  }

  async user(userId: string): Promise<UserRecord | null> {
    return userId === SANDBOX_TEST_USER.id ? this.#testUser : withoutSource(await this.people.user(userId));
  }

  async users(userIds: Iterable<string>): Promise<Map<string, UserRecord>> {
    const asked = new Set(userIds);
    const isTestUserAsked = asked.delete(SANDBOX_TEST_USER.id);
    const found = new Map<string, UserRecord>();
    for (const [userId, user] of await this.people.users(asked)) found.set(userId, withoutSource(user));
    if (isTestUserAsked) found.set(SANDBOX_TEST_USER.id, this.#testUser);
    return found;
  }

  async two(userId: string, otherId: string): Promise<TwoPeople> {
    if (otherId === SANDBOX_TEST_USER.id) return { one: await this.user(userId), other: this.#testUser, pair: null };
    const { one, other, pair } = await this.people.two(userId, otherId);
    return { one: withoutSource(one), other: withoutSource(other), pair };
  }

  /** The address of a stranger counts as unregistered: an app that tries things out is no directory of users. */
  async ownerOf(kind: AddressKind, value: string, forUserId: string): Promise<string | null> {
    if (value === SANDBOX_TEST_USER[kind]) return SANDBOX_TEST_USER.id;
    const ownerId = await this.people.ownerOf(kind, value, forUserId);
    if (ownerId === null || ownerId === forUserId) return ownerId;
    return resolvesInSandbox(await this.people.two(forUserId, ownerId)) ? ownerId : null;
  }

  save(records: readonly UsersStateRecord[]): Promise<OwnedAddress[]> {
    return this.people.save(records);
  }
}

/** Whether a payment of the sandbox that one of the two sends finds the other: a friend, or the test user. */
export function resolvesInSandbox({ other, pair }: TwoPeople): boolean {
  return other?.card.id === SANDBOX_TEST_USER.id || pair?.areFriends === true;
}

function withoutSource<User extends UserRecord | null>(user: User): User {
  return user && { ...user, fundingSourceId: null };
}
