import type { Caller } from './caller.js';
import { PagedList } from './paged-list.js';
import type { Friend, FriendsQuery, User } from './types.js';

/** The users of the product. Every call has the errors of `SettleClient`. */
export class Users {
  constructor(private readonly caller: Caller) {}

  /** Returns one user. */
  async get(id: string): Promise<User> {
    const path = `/users/${encodeURIComponent(id)}`;
    return (await this.caller.send<{ data: User }>({ method: 'GET', path })).data;
  }

  /** Returns the friends of a user, ascending by id. */
  listFriends(id: string, query: FriendsQuery = {}): PagedList<Friend> {
    return new PagedList(this.caller, `/users/${encodeURIComponent(id)}/friends`, { ...query });
  }
}
