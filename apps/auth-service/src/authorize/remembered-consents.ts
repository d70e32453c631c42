import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AppAmounts } from '../app-amounts/app-amounts.js';
import { Consent } from '../tables/consent.entity.js';
import type { Allowed } from './allowing.js';
import type { AuthorizationRequest } from './authorization-request.js';

/** Held until the transaction ends, so that who takes the consent back comes before it or after it. */
const HOLD = `
  select from consents where user_id = $1 and app_id = $2 and redirect_uri = $3 and scopes = $4::text[]
    and app_name = $5 for share`;

/**
 * Answers that need not be given again. Only for codes, which an app redeems with its secret: a token in an address,
 * or a code for an app that anybody can pretend to be, is asked for every time (RFC 8252 8.6, RFC 9700 2.1.2).
 */
@Injectable()
export class RememberedConsents {
  constructor(private readonly amounts: AppAmounts) {}

  /** Whether the answer to such a request may be remembered. */
  canHold({ responseType, hasSecret }: AuthorizationRequest): boolean {
    return responseType === 'code' && hasSecret;
  }

  /** Remembers the amount that was typed beside the consent; one that gateways hear of late is stored all the same. */
  async rememberAmount({ userId, asked, amountPerDayCents }: Omit<Allowed, 'scopes'>): Promise<void> {
    if (amountPerDayCents !== undefined) await this.amounts.set({ userId, appId: asked.appId }, amountPerDayCents);
  }

  /** Remembers what was allowed, in place of what was allowed at this address before. */
  async remember(manager: EntityManager, { userId, asked, scopes }: Allowed): Promise<void> {
    const { appId, appName, redirectUri } = asked;
    const row = { userId, appId, appName, redirectUri, scopes: [...scopes], givenAt: new Date() };
    await manager.getRepository(Consent).upsert(row, ['userId', 'appId', 'redirectUri']);
  }

  /** Whether exactly this was allowed before, to this app under this name at this address. */
  async holds(manager: EntityManager, userId: string, asked: AuthorizationRequest): Promise<boolean> {
    if (!this.canHold(asked)) return false;
    const values = [userId, asked.appId, asked.redirectUri, asked.scopes, asked.appName];
    return (await manager.query<object[]>(HOLD, values)).length > 0;
  }
}
