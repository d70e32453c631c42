import {
  ChangeAccount,
  CreateAccount,
  GetAccount,
  GetProfile,
  ListFriends,
  ProveAddress,
  RemoveAddress,
  changeAccount,
  createAccount,
  getAccount,
  getProfile,
  listFriends,
  proveAddress,
  removeAddress,
  type Account,
  type FriendsPage,
  type Profile,
} from '@settle/contracts';
import { OnRequest } from '@settle/messaging';
import { readOrUnavailable } from '@settle/postgres';
import { Controller } from '@nestjs/common';
import { Accounts } from './accounts.js';
import { PeopleQueries } from './people-queries.js';

/** What the other services may ask. */
@Controller()
export class UsersController {
  constructor(
    private readonly queries: PeopleQueries,
    private readonly accounts: Accounts,
  ) {}

  @OnRequest(getProfile)
  profile(request: GetProfile): Promise<Profile> {
    return readOrUnavailable(this.queries.profile(request));
  }

  @OnRequest(listFriends)
  friends(request: ListFriends): Promise<FriendsPage> {
    return readOrUnavailable(this.queries.friends(request));
  }

  @OnRequest(createAccount)
  createAccount(request: CreateAccount): Promise<Account> {
    return this.accounts.create(request);
  }

  @OnRequest(getAccount)
  account({ userId }: GetAccount): Promise<Account> {
    return this.accounts.read(userId);
  }

  @OnRequest(changeAccount)
  changeAccount(request: ChangeAccount): Promise<Account> {
    return this.accounts.change(request);
  }

  @OnRequest(proveAddress)
  proveAddress(request: ProveAddress): Promise<Account> {
    return this.accounts.proveAddress(request);
  }

  @OnRequest(removeAddress)
  removeAddress(request: RemoveAddress): Promise<Account> {
    return this.accounts.removeAddress(request);
  }
}
