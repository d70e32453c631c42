import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AppSpendingLimits } from '../spending-limits/app-spending-limits.js';
import { Consent } from '../tables/consent.entity.js';
import type { Approval } from './grant-issuer.js';
import type { AuthorizationRequest } from './authorization-request.js';

/** Locks the consent until the transaction ends, so that its withdrawal comes either before or after. */
const LOCK_CONSENT = `
  select from consents where user_id = $1 and app_id = $2 and redirect_uri = $3 and scopes = $4::text[]
    and app_name = $5 for share`;

/**
 * Consents that the user need not repeat. Only codes that an app redeems with its secret are eligible: a token in a URL,
 * or a code for a public client, needs consent every time (RFC 8252 8.6, RFC 9700 2.1.2).
 */
@Injectable()
export class RememberedConsents {
  constructor(private readonly limits: AppSpendingLimits) {}

  /** Whether the consent to this request may be remembered. */
  canRemember({ responseType, hasSecret }: AuthorizationRequest): boolean {
    return responseType === 'code' && hasSecret;
  }

  /** Stores the daily limit that the user set on the consent page, even if gateways confirm it late. */
  async saveAmount({ userId, request, amountPerDayCents }: Omit<Approval, 'scopes'>): Promise<void> {
    if (amountPerDayCents !== undefined) await this.limits.set({ userId, appId: request.appId }, amountPerDayCents);
  }

  /** Stores the consent, which replaces an earlier one for the same redirect URI. */
  async remember(manager: EntityManager, { userId, request, scopes }: Approval): Promise<void> {
    const { appId, appName, redirectUri } = request;
    const row = { userId, appId, appName, redirectUri, scopes: [...scopes], givenAt: new Date() };
    await manager.getRepository(Consent).upsert(row, ['userId', 'appId', 'redirectUri']);
  }

  /** Whether the user consented to the same scopes of this app, with the same name and redirect URI. */
  async isRemembered(manager: EntityManager, userId: string, request: AuthorizationRequest): Promise<boolean> {
    if (!this.canRemember(request)) return false;
    const values = [userId, request.appId, request.redirectUri, request.scopes, request.appName];
    return (await manager.query<object[]>(LOCK_CONSENT, values)).length > 0;
  }
}
