import { Module, type DynamicModule } from '@nestjs/common';
import type { ResultCache } from '@settle/concurrency';
import type { Settings } from '@settle/config';
import type { Profile } from '@settle/contracts';
import { MessageClient } from '@settle/messaging';
import type { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { AccountsController } from './accounts/accounts.controller.js';
import { FriendsController } from './friends/friends.controller.js';
import { POOL, PROFILES, SETTINGS } from './injection/providers.js';
import { UsersController } from './users/users.controller.js';

export interface UsersModuleParts {
  readonly settings: Settings;
  readonly pool: Pool;
  readonly dataSource: DataSource;
  readonly client: MessageClient;
  /** Null: every profile is read. */
  readonly profiles: ResultCache<Profile> | null;
}

@Module({ controllers: [UsersController, AccountsController, FriendsController] })
export class UsersModule {
  static with({ settings, pool, dataSource, client, profiles }: UsersModuleParts): DynamicModule {
    const providers = [
      { provide: SETTINGS, useValue: settings },
      { provide: POOL, useValue: pool },
      { provide: PROFILES, useValue: profiles },
      { provide: DataSource, useValue: dataSource },
      { provide: MessageClient, useValue: client },
    ];
    return { module: UsersModule, providers };
  }
}
