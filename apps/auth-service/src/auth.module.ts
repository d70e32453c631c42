import { Module, type DynamicModule } from '@nestjs/common';
import type { Settings } from '@settle/config';
import { MessageClient, type MessageBus } from '@settle/messaging';
import { SecurityLog, type Logger } from '@settle/observability';
import type { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { AddressCodeController } from './account/address-code.controller.js';
import { AddressProofs } from './account/address-proofs.js';
import { AddressSpellings } from './account/address-spellings.js';
import { DoorController } from './account/door.controller.js';
import { FriendsController } from './account/friends.controller.js';
import { FundingController } from './account/funding.controller.js';
import { PasswordsOfPeople } from './account/passwords-of-people.js';
import { ProfileController } from './account/profile.controller.js';
import { ResetController } from './account/reset.controller.js';
import { Resets } from './account/resets.js';
import { SecurityController } from './account/security.controller.js';
import { AppAmounts } from './app-amounts/app-amounts.js';
import { Allowing } from './authorize/allowing.js';
import { AuthorizationRequests } from './authorize/authorization-requests.js';
import { AuthorizeController } from './authorize/authorize.controller.js';
import { ConsentPages } from './authorize/consent-pages.js';
import { ConsentController } from './authorize/consent.controller.js';
import { Consents } from './authorize/consents.js';
import { DeveloperNames } from './authorize/developer-names.js';
import { RememberedConsents } from './authorize/remembered-consents.js';
import { ConnectedApps } from './connected-apps/connected-apps.js';
import { ConnectedAppsController } from './connected-apps/connected-apps.controller.js';
import { CallbackController } from './demo/callback.controller.js';
import { DevelopersController } from './developers/developers.controller.js';
import { OwnApps } from './developers/own-apps.js';
import { MailboxController } from './messages/mailbox.controller.js';
import { MessageQueue } from './messages/message-queue.js';
import { NoticeDelivery } from './messages/notice-delivery.js';
import { Authorizations } from './oauth/authorizations.js';
import { ClientAuthenticator } from './oauth/client-authenticator.js';
import { AuthorizationCodes } from './oauth/authorization-codes.js';
import { IntrospectionController } from './oauth/introspection.controller.js';
import { MetadataController } from './oauth/metadata.controller.js';
import { ResourceOwnerLoader } from './oauth/resource-owner-loader.js';
import { RefreshTokens } from './oauth/refresh-tokens.js';
import { RevocationController } from './oauth/revocation.controller.js';
import { TokenRevocation } from './oauth/token-revocation.js';
import { TokenController } from './oauth/token.controller.js';
import { TokenEndpoint } from './oauth/token-endpoint.js';
import { TokenPairs } from './oauth/token-pairs.js';
import { AssetsController } from './pages/assets.controller.js';
import { HomeController } from './pages/home.controller.js';
import { CodeQuotas } from './verification/code-quotas.js';
import { CodeMessages } from './verification/code-messages.js';
import { VerificationCodes } from './verification/verification-codes.js';
import { IS_ONLY_INSTANCE, LOGGER, POOL, SETTINGS } from './providers.js';
import { TrustedDevices } from './sign-in/trusted-devices.js';
import { Passwords } from './sign-in/passwords.js';
import { SessionCookie } from './sign-in/session-cookie.js';
import { Sessions } from './sign-in/sessions.js';
import { SignInController } from './authorize/sign-in.controller.js';
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

/** What the module stands on, opened and closed by whoever starts it. */
export interface AuthModuleParts {
  readonly settings: Settings;
  readonly logger: Logger;
  readonly security: SecurityLog;
  readonly bus: MessageBus;
  readonly dataSource: DataSource;
  readonly pool: Pool;
  readonly messages: MessageQueue;
  /** No other process works on this database. */
  readonly isOnlyInstance: boolean;
}

const OAUTH_CONTROLLERS = [TokenController, RevocationController, MetadataController, IntrospectionController];

const OAUTH_PROVIDERS = [
  RememberedConsents,
  DeveloperNames,
  ConsentPages,
  Allowing,
  Authorizations,
  ClientAuthenticator,
  AuthorizationCodes,
  RefreshTokens,
  TokenPairs,
  TokenEndpoint,
  TokenRevocation,
  ResourceOwnerLoader,
  ConnectedApps,
  AppAmounts,
  OwnApps,
];

@Module({})
export class AuthModule {
  static with(parts: AuthModuleParts): DynamicModule {
    const { settings, logger, security, bus, dataSource, pool, messages, isOnlyInstance } = parts;
    return {
      module: AuthModule,
      controllers: [
        CheckTokenController,
        AuthorizeController,
        SignInController,
        ConsentController,
        ...OAUTH_CONTROLLERS,
        AssetsController,
        HomeController,
        DoorController,
        SignUpController,
        ResetController,
        // Before what stands under a kind of address.
        ConnectedAppsController,
        DevelopersController,
        AddressCodeController,
        ProfileController,
        SecurityController,
        FriendsController,
        FundingController,
        ...(settings.devTools ? [MailboxController] : []),
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
        AuthorizationRequests,
        Consents,
        ...OAUTH_PROVIDERS,
        Sessions,
        Passwords,
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
        AddressProofs,
        AddressSpellings,
        PasswordsOfPeople,
        Resets,
        Tokens,
        RevocationPublisher,
        ExpiredRowCleanup,
      ],
    };
  }
}
