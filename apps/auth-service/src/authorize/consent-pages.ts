import { Injectable } from '@nestjs/common';
import { LIMITS } from '@settle/config';
import { AppSpendingLimits } from '../spending-limits/app-spending-limits.js';
import { formatAmountPerDay } from '../spending-limits/amount-per-day.js';
import { renderConsent } from '../pages/pages.js';
import { deriveFormToken } from '../sign-in/session-cookie.js';
import type { SignedInUser } from '../sign-in/sessions.js';
import type { AuthorizationRequest, ResponseType } from './authorization-request.js';
import { PendingConsents } from './pending-consents.js';
import { DeveloperNames } from './developer-names.js';
import { describeScope } from '../oauth/scopes.js';

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
    private readonly developers: DeveloperNames,
    private readonly limits: AppSpendingLimits,
  ) {}

  /** Returns the consent page as HTML. The user can submit it once, in this session. */
  async render(request: AuthorizationRequest, { sessionId, userId, username }: SignedInUser): Promise<string> {
    const { appName, query, redirectUri, siteUrl } = request;
    const developer = (await this.developers.find(request.developerId)) ?? 'unknown';
    const canPay = request.scopes.includes('make_payments');
    return renderConsent({
      ...{ appName, developer, siteUrl, query, username },
      formToken: deriveFormToken(sessionId),
      requestId: await this.consents.create(sessionId, request),
      abilities: request.scopes.map((scope) => ({ scope, description: describeScope(scope) })),
      alwaysShared: ALWAYS_SHARED[request.responseType],
      lifetime: LIFETIMES[request.responseType],
      redirectHost: new URL(redirectUri).host,
      redirectUri,
      amountPerDay: canPay ? formatAmountPerDay(await this.limits.get({ userId, appId: request.appId })) : null,
    });
  }
}
