import { Module, type DynamicModule } from '@nestjs/common';
import { AccountsController } from './accounts/accounts.controller.js';
import { Accounts } from './accounts/accounts.js';
import { FriendsController } from './friends/friends.controller.js';
import { Friends } from './friends/friends.js';
import { UserQueries } from './users/user-queries.js';
import { UsersController } from './users/users.controller.js';

/** Handlers of the requests of other services. */
interface UsersModuleParts {
  readonly queries: UserQueries;
  readonly accounts: Accounts;
  readonly friends: Friends;
}

@Module({})
export class UsersModule {
  static with({ queries, accounts, friends }: UsersModuleParts): DynamicModule {
    return {
      module: UsersModule,
      controllers: [UsersController, AccountsController, FriendsController],
      providers: [
        { provide: UserQueries, useValue: queries },
        { provide: Accounts, useValue: accounts },
        { provide: Friends, useValue: friends },
      ],
    };
  }
}
