import { Module, type DynamicModule } from '@nestjs/common';
import { AccountsController } from './accounts.controller.js';
import { Accounts } from './accounts.js';
import { PeopleQueries } from './people-queries.js';
import { UsersController } from './users.controller.js';

@Module({})
export class UsersModule {
  static with(queries: PeopleQueries, accounts: Accounts): DynamicModule {
    return {
      module: UsersModule,
      controllers: [UsersController, AccountsController],
      providers: [
        { provide: PeopleQueries, useValue: queries },
        { provide: Accounts, useValue: accounts },
      ],
    };
  }
}
