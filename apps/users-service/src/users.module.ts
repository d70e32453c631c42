import { Module, type DynamicModule } from '@nestjs/common';
import { AccountsController } from './accounts.controller.js';
import { Accounts } from './accounts.js';
import { FriendsController } from './friends.controller.js';
import { Friends } from './friends.js';
import { PeopleQueries } from './people-queries.js';
import { UsersController } from './users.controller.js';

/** What the requests of the other services are answered by. */
interface UsersModuleParts {
  readonly queries: PeopleQueries;
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
        { provide: PeopleQueries, useValue: queries },
        { provide: Accounts, useValue: accounts },
        { provide: Friends, useValue: friends },
      ],
    };
  }
}
