import { Injectable } from '@nestjs/common';
import { LIMITS } from '@settle/config';
import { AppAmounts } from '../app-amounts/app-amounts.js';
import { shownAmountPerDay } from '../app-amounts/typed-amount.js';
import { renderConsent } from '../pages/pages.js';
import { deriveFormToken } from '../sign-in/session-cookie.js';
import type { SignedInUser } from '../sign-in/sessions.js';
import type { AuthorizationRequest, ResponseType } from './authorization-request.js';
import { Consents } from './consents.js';
import { DeveloperNames } from './developer-names.js';
import { scopeInWords } from './scopes.js';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

const LIFETIMES: Readonly<Record<ResponseType, string>> = {
  token: `${LIMITS.auth.clientTokenMs / MINUTE_MS} minutes, then its access ends by itself`,
  code: `${LIMITS.auth.serverTokenMs / DAY_MS} days, and on as the app renews it, until you end it among your connected apps`,
};

/** What the app receives whatever is ticked: the answer to a code holds the user, see `printTokens`. */
const ALWAYS_SHARED: Readonly<Record<ResponseType, string | null>> = {
  token: null,
  code: 'your name, username, picture and bio, whatever you tick',
};

/** Makes the pages that ask for consent. */
@Injectable()
export class ConsentPages {
  constructor(
    private readonly consents: Consents,
    private readonly developers: DeveloperNames,
    private readonly amounts: AppAmounts,
  ) {}

  /** The page for a request, as HTML. It can be answered once, in this session. */
  async render(asked: AuthorizationRequest, { sessionId, userId, username }: SignedInUser): Promise<string> {
    const { appName, query, redirectUri, siteUrl } = asked;
    const developer = (await this.developers.of(asked.developerId)) ?? 'unknown';
    const canPay = asked.scopes.includes('make_payments');
    return renderConsent({
      ...{ appName, developer, siteUrl, query, username },
      formToken: deriveFormToken(sessionId),
      requestId: await this.consents.ask(sessionId, asked),
      abilities: asked.scopes.map((scope) => ({ scope, words: scopeInWords(scope) })),
      alwaysShared: ALWAYS_SHARED[asked.responseType],
      lifetime: LIFETIMES[asked.responseType],
      returnsTo: new URL(redirectUri).host,
      leadsTo: redirectUri,
      amountPerDay: canPay ? shownAmountPerDay(await this.amounts.of({ userId, appId: asked.appId })) : null,
    });
  }
}
