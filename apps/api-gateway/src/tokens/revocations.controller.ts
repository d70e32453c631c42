import { Controller } from '@nestjs/common';
import { tokensRevoked, type TokensRevoked } from '@settle/contracts';
import { EACH_INSTANCE, OnEvents, type EventEnvelope } from '@settle/messaging';
import { TokenGrants } from './token-grants.js';

/** Consumes the list of revoked tokens. */
@Controller()
export class RevocationsController {
  constructor(private readonly grants: TokenGrants) {}

  @OnEvents(tokensRevoked, EACH_INSTANCE)
  onRevoked(events: readonly EventEnvelope[]): Promise<void> {
    for (const { payload } of events) {
      if (payload !== null) this.grants.onRevoked(payload as TokensRevoked);
    }
    return Promise.resolve();
  }
}
