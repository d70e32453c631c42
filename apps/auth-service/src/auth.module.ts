import { Module, type DynamicModule } from '@nestjs/common';
import { LIMITS, type Settings } from '@settle/config';
import { MessageClient, type MessageBus } from '@settle/messaging';
import { SecurityLog, type Logger } from '@settle/observability';
import type { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { AddressCodeController } from './account/address-code.controller.js';
import { AddressVerification } from './addresses/address-verification.js';
import { AddressSpellingBackfill } from './addresses/address-spelling-backfill.js';
import { SessionController } from './account/session.controller.js';
import { FriendsController } from './account/friends.controller.js';
import { FundingController } from './account/funding.controller.js';
import { FundingNoticesController } from './funding/funding-notices.controller.js';
import { FundingNotices } from './funding/funding-notices.js';
import { FundingPages } from './funding/funding-pages.js';
import { SourceRequests } from './funding/source-requests.js';
import { SourcesController } from './funding/sources.controller.js';
import { TransfersController } from './funding/transfers.controller.js';
import { UserPasswords } from './account/user-passwords.js';
import { ProfileController } from './account/profile.controller.js';
import { PasswordResetController } from './account/password-reset.controller.js';
import { SecurityController } from './account/security.controller.js';
import { AppSpendingLimits } from './spending-limits/app-spending-limits.js';
import { GrantIssuer } from './authorize/grant-issuer.js';
import { AuthorizationRequestReader } from './authorize/authorization-request-reader.js';
import { AuthorizeController } from './authorize/authorize.controller.js';
import { ConsentPages } from './authorize/consent-pages.js';
import { ConsentController } from './authorize/consent.controller.js';
import { ConnectedApps } from './connected-apps/connected-apps.js';
import { ConnectedAppsController } from './connected-apps/connected-apps.controller.js';
import { CallbackController } from './demo/callback.controller.js';
import { DevTokenController } from './demo/dev-token.controller.js';
import { DevelopersController } from './developers/developers.controller.js';
import { DeveloperApps } from './developers/developer-apps.js';
import { MailboxController } from './messages/mailbox.controller.js';
import { MessageQueue } from './messages/message-queue.js';
import { NoticeDelivery } from './messages/notice-delivery.js';
import { Authorizations } from './oauth/authorizations.js';
import { ClientAuthenticator } from './oauth/client-authenticator.js';
import { IntrospectionController } from './oauth/introspection.controller.js';
import { MetadataController } from './oauth/metadata.controller.js';
import { RevocationController } from './oauth/revocation.controller.js';
import { TokenController } from './oauth/token.controller.js';
import { TokenGrants } from './oauth/token-grants.js';
import { AssetsController } from './pages/assets.controller.js';
import { HomeController } from './pages/home.controller.js';
import { CodeQuotas } from './verification/code-quotas.js';
import { CodeMessages } from './verification/code-messages.js';
import { VerificationCodes } from './verification/verification-codes.js';
import { IS_ONLY_INSTANCE, LOGGER, POOL, SETTINGS } from './injection/providers.js';
import { TrustedDevices } from './sign-in/trusted-devices.js';
import { Passwords } from './sign-in/passwords.js';
import { SessionCookie } from './sign-in/session-cookie.js';
import { Sessions } from './sign-in/sessions.js';
import { SignIn } from './sign-in/sign-in.js';
import { SignInStrategy } from './sign-in/sign-in.strategy.js';
import { SignInThrottle } from './sign-in/sign-in-throttle.js';
import { AttemptThrottle } from './sign-in/attempt-throttle.js';
import { PendingAccounts } from './sign-up/pending-accounts.js';
import { SignUpController } from './sign-up/sign-up.controller.js';
import { SignUps } from './sign-up/sign-ups.js';
import { ExpiredRowCleanup } from './tables/expired-row-cleanup.js';
import { CheckTokenController } from './tokens/check-token.controller.js';
import { RevocationPublisher } from './tokens/revocation-publisher.js';
import { Tokens } from './tokens/tokens.js';

/** The resources of the module. The caller opens and closes them. */
export interface AuthModuleOptions {
  readonly settings: Settings;
  readonly logger: Logger;
  readonly security: SecurityLog;
  readonly bus: MessageBus;
  readonly dataSource: DataSource;
  readonly pool: Pool;
  readonly messages: MessageQueue;
  /** Whether no other process uses this database. */
  readonly isOnlyInstance: boolean;
}

const OAUTH_CONTROLLERS = [TokenController, RevocationController, MetadataController, IntrospectionController];

const OAUTH_PROVIDERS = [
  ConsentPages,
  GrantIssuer,
  Authorizations,
  ClientAuthenticator,
  TokenGrants,
  ConnectedApps,
  AppSpendingLimits,
  DeveloperApps,
];

const FUNDING_PROVIDERS = [FundingPages, FundingNotices, SourceRequests];

@Module({})
export class AuthModule {
  static register(options: AuthModuleOptions): DynamicModule {
    const { settings, logger, security, bus, dataSource, pool, messages, isOnlyInstance } = options;
    return {
      module: AuthModule,
      controllers: [
        CheckTokenController,
        FundingNoticesController,
        AuthorizeController,
        ConsentController,
        ...OAUTH_CONTROLLERS,
        AssetsController,
        HomeController,
        SessionController,
        SignUpController,
        PasswordResetController,
        // Comes before the controllers with parameters in their paths.
        ConnectedAppsController,
        DevelopersController,
        AddressCodeController,
        ProfileController,
        SecurityController,
        FriendsController,
        FundingController,
        SourcesController,
        TransfersController,
        ...(settings.devTools ? [MailboxController, DevTokenController] : []),
        ...(settings.demo ? [CallbackController] : []),
      ],
      providers: [
        { provide: SETTINGS, useValue: settings },
        { provide: LOGGER, useValue: logger },
        { provide: SecurityLog, useValue: security },
        { provide: POOL, useValue: pool },
        { provide: IS_ONLY_INSTANCE, useValue: isOnlyInstance },
        { provide: DataSource, useValue: dataSource },
        { provide: MessageClient, useValue: new MessageClient(bus) },
        { provide: SessionCookie, useValue: new SessionCookie(settings.publicUrl.startsWith('https://')) },
        AuthorizationRequestReader,
        ...OAUTH_PROVIDERS,
        Sessions,
        { provide: Passwords, useValue: new Passwords(LIMITS.auth.hashWaitMs) },
        SignIn,
        SignInStrategy,
        SignInThrottle,
        AttemptThrottle,
        TrustedDevices,
        { provide: MessageQueue, useValue: messages },
        NoticeDelivery,
        CodeMessages,
        CodeQuotas,
        VerificationCodes,
        SignUps,
        PendingAccounts,
        AddressVerification,
        AddressSpellingBackfill,
        UserPasswords,
        ...FUNDING_PROVIDERS,
        Tokens,
        RevocationPublisher,
        ExpiredRowCleanup,
      ],
    };
  }
}
