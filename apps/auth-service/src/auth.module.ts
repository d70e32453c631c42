import { Module, type DynamicModule } from '@nestjs/common';
import type { Settings } from '@settle/config';
import { MessageClient, type MessageBus } from '@settle/messaging';
import type { Logger } from '@settle/observability';
import type { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { AuthorizationRequests } from './authorize/authorization-requests.js';
import { AuthorizeController } from './authorize/authorize.controller.js';
import { ConsentController } from './authorize/consent.controller.js';
import { Consents } from './authorize/consents.js';
import { CallbackController } from './demo/callback.controller.js';
import { AssetsController } from './pages/assets.controller.js';
import { HomeController } from './pages/home.controller.js';
import { IS_ONLY_INSTANCE, LOGGER, POOL, SETTINGS } from './providers.js';
import { Passwords } from './sign-in/passwords.js';
import { SessionCookie } from './sign-in/session-cookie.js';
import { Sessions } from './sign-in/sessions.js';
import { SignInController } from './authorize/sign-in.controller.js';
import { SignIn } from './sign-in/sign-in.js';
import { SignInStrategy } from './sign-in/sign-in.strategy.js';
import { SignInThrottle } from './sign-in/sign-in-throttle.js';
import { ExpiredRows } from './tables/expired-rows.js';
import { CheckTokenController } from './tokens/check-token.controller.js';
import { Revocations } from './tokens/revocations.js';
import { Tokens } from './tokens/tokens.js';

/** What the module stands on, opened and closed by whoever starts it. */
export interface AuthModuleParts {
  readonly settings: Settings;
  readonly logger: Logger;
  readonly bus: MessageBus;
  readonly dataSource: DataSource;
  readonly pool: Pool;
  /** No other process works on this database. */
  readonly isOnlyInstance: boolean;
}

@Module({})
export class AuthModule {
  static with({ settings, logger, bus, dataSource, pool, isOnlyInstance }: AuthModuleParts): DynamicModule {
    return {
      module: AuthModule,
      controllers: [
        CheckTokenController,
        AuthorizeController,
        SignInController,
        ConsentController,
        AssetsController,
        HomeController,
        ...(settings.demo ? [CallbackController] : []),
      ],
      providers: [
        { provide: SETTINGS, useValue: settings },
        { provide: LOGGER, useValue: logger },
        { provide: POOL, useValue: pool },
        { provide: IS_ONLY_INSTANCE, useValue: isOnlyInstance },
        { provide: DataSource, useValue: dataSource },
        { provide: MessageClient, useValue: new MessageClient(bus) },
        { provide: SessionCookie, useValue: new SessionCookie(settings.publicUrl.startsWith('https://')) },
        AuthorizationRequests,
        Consents,
        Sessions,
        Passwords,
        SignIn,
        SignInStrategy,
        SignInThrottle,
        Tokens,
        Revocations,
        ExpiredRows,
      ],
    };
  }
}
