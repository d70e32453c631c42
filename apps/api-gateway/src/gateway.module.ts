import { Module, type DynamicModule } from '@nestjs/common';
import { LIMITS } from '@settle/config';
import { checkToken } from '@settle/contracts';
import { MessageClient } from '@settle/messaging';
import { GATEWAY_SETTINGS, type GatewaySettings } from './settings/gateway-settings.js';
import { Admission } from './limits/admission.js';
import { MeController } from './endpoints/me.controller.js';
import { PicturesController } from './endpoints/pictures.controller.js';
import { PaymentsController } from './endpoints/payments.controller.js';
import { unavailableIfLate } from './endpoints/queries.js';
import { ReferenceController } from './endpoints/reference.controller.js';
import { AccessTokenStrategy } from './access/access-token.strategy.js';
import { RevocationsController } from './tokens/revocations.controller.js';
import { TokenGrants } from './tokens/token-grants.js';
import { UsersController } from './endpoints/users.controller.js';

export interface GatewayParts {
  readonly settings: GatewaySettings;
  readonly client: MessageClient;
  readonly grants: TokenGrants;
  readonly admission: Admission;
}

@Module({})
export class GatewayModule {
  static with({ settings, client, grants, admission }: GatewayParts): DynamicModule {
    return {
      module: GatewayModule,
      controllers: [
        PicturesController,
        ReferenceController,
        MeController,
        UsersController,
        PaymentsController,
        RevocationsController,
      ],
      providers: [
        { provide: GATEWAY_SETTINGS, useValue: settings },
        { provide: MessageClient, useValue: client },
        { provide: TokenGrants, useValue: grants },
        { provide: Admission, useValue: admission },
        AccessTokenStrategy,
      ],
    };
  }
}

/** Returns a function that requests a token's grant from auth-service. */
export function grantsFrom(
  client: MessageClient,
  { tokenGraceMs }: Pick<GatewaySettings, 'tokenGraceMs'>,
): TokenGrants {
  return new TokenGrants({
    trustMs: LIMITS.gateway.heartbeatTrustMs + tokenGraceMs,
    ask(tokenSha256, { id: requestId, traceparent }) {
      const options = { key: tokenSha256, timeoutMs: LIMITS.gateway.queryWaitMs, requestId, traceparent };
      return unavailableIfLate(client.request(checkToken, { tokenSha256 }, options));
    },
  });
}
