import { Module, type DynamicModule } from '@nestjs/common';
import type { Settings } from '@settle/config';
import { MessageClient } from '@settle/messaging';
import type { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { AccountsController } from './accounts/accounts.controller.js';
import { FriendsController } from './friends/friends.controller.js';
import { POOL, SETTINGS } from './injection/providers.js';
import { UsersController } from './users/users.controller.js';

@Module({ controllers: [UsersController, AccountsController, FriendsController] })
export class UsersModule {
  static with(settings: Settings, pool: Pool, dataSource: DataSource, client: MessageClient): DynamicModule {
    const providers = [
      { provide: SETTINGS, useValue: settings },
      { provide: POOL, useValue: pool },
      { provide: DataSource, useValue: dataSource },
      { provide: MessageClient, useValue: client },
    ];
    return { module: UsersModule, providers };
  }
}
