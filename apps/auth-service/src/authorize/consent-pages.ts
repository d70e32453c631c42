import { Injectable } from '@nestjs/common';
import { LIMITS } from '@settle/config';
import { SettleError, getProfile } from '@settle/contracts';
import { MessageClient } from '@settle/messaging';
import { DataSource } from 'typeorm';
import { describeScope } from '../oauth/scopes.js';
import type { SignedInUser } from '../sign-in/sessions.js';
import { formatAmountPerDay } from '../spending-limits/amount-per-day.js';
import { AppSpendingLimits } from '../spending-limits/app-spending-limits.js';
import { Credential } from '../tables/credential.entity.js';
import type { AuthorizationRequest, ResponseType } from './authorization-request.js';
import { renderConsent } from './authorize.pages.js';
import { PendingConsents } from './pending-consents.js';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

const LIFETIMES: Readonly<Record<ResponseType, string>> = {
  token: `${LIMITS.auth.clientTokenMs / MINUTE_MS} minutes, then access ends`,
  code: `${LIMITS.auth.serverTokenMs / DAY_MS} days. The app can renew its access until you end it under Connected apps`,
};

/** The data that the app always receives: the token response to a code contains the user, see `serializeTokens`. */
const ALWAYS_SHARED: Readonly<Record<ResponseType, string | null>> = {
  token: null,
  code: 'your name, username, picture and bio, whatever you select',
};

/** Renders the consent page. */
@Injectable()
export class ConsentPages {
  constructor(
    private readonly consents: PendingConsents,
    private readonly dataSource: DataSource,
    private readonly client: MessageClient,
    private readonly limits: AppSpendingLimits,
  ) {}

  /** Returns the consent page as HTML. The user can submit it once, in this session. */
  async render(request: AuthorizationRequest, user: SignedInUser): Promise<string> {
    const { sessionId, userId, username, formToken } = user;
    const { app, query, redirectUri } = request;
    const canPay = request.scopes.includes('make_payments');
    return renderConsent({
      ...{ query, redirectUri, username, formToken },
      appName: app.name,
      siteUrl: app.siteUrl,
      developer: await this.#describeDeveloper(app.ownerId),
      requestId: await this.consents.create(sessionId, request),
      abilities: request.scopes.map((scope) => ({ scope, description: describeScope(scope) })),
      alwaysShared: ALWAYS_SHARED[request.responseType],
      lifetime: LIFETIMES[request.responseType],
      redirectHost: new URL(redirectUri).host,
      amountPerDay: canPay ? formatAmountPerDay(await this.limits.get({ userId, appId: app.clientId })) : null,
    });
  }

  /** Returns the display name and the username, or only the username while users-service does not respond. */
  async #describeDeveloper(userId: string): Promise<string> {
    const credential = await this.dataSource.getRepository(Credential).findOneBy({ userId });
    if (credential === null) return 'unknown';
    try {
      const options = { key: userId, timeoutMs: LIMITS.auth.askWaitMs };
      // The developer is the viewer, so that users whom the developer blocked see the name, too.
      const { displayName } = await this.client.request(getProfile, { userId, viewerId: userId }, options);
      return `${displayName} (${credential.username})`;
    } catch (error) {
      if (error instanceof SettleError) return credential.username;
      throw error;
    }
  }
}
