import { randomUUID } from 'node:crypto';
import { Controller } from '@nestjs/common';
import { tokensRevoked, type TokensRevoked } from '@settle/contracts';
import { OnEvents, type EventEnvelope } from '@settle/messaging';
import { TokenGrants } from './token-grants.js';

/** Every instance follows all of it, so each is a group of its own. */
const EACH_INSTANCE = `api-gateway-${randomUUID()}`;

/** Follows the list of revoked tokens. */
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
