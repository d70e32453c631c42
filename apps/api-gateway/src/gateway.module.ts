import { Module, type DynamicModule } from '@nestjs/common';
import { LIMITS } from '@settle/config';
import { checkToken } from '@settle/contracts';
import { MessageClient, type MessageBus } from '@settle/messaging';
import { GATEWAY_SETTINGS, type GatewaySettings } from './gateway-settings.js';
import { RateLimits } from './limits/rate-limits.js';
import { MeController } from './me.controller.js';
import { PicturesController } from './pictures.controller.js';
import { PaymentsController } from './payments.controller.js';
import { unavailableIfLate } from './queries.js';
import { ReferenceController } from './reference.controller.js';
import { AccessTokenStrategy } from './tokens/access-token.strategy.js';
import { RevocationsController } from './tokens/revocations.controller.js';
import { TokenGrants } from './tokens/token-grants.js';
import { UsersController } from './users.controller.js';

@Module({})
export class GatewayModule {
  static with(settings: GatewaySettings, bus: MessageBus, rateLimits: RateLimits): DynamicModule {
    const client = new MessageClient(bus);
    const grants = new TokenGrants((tokenSha256, { id: requestId, traceparent }) => {
      const options = { key: tokenSha256, timeoutMs: LIMITS.gateway.queryWaitMs, requestId, traceparent };
      return unavailableIfLate(client.request(checkToken, { tokenSha256 }, options));
    });
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
        { provide: RateLimits, useValue: rateLimits },
        AccessTokenStrategy,
      ],
    };
  }
}
