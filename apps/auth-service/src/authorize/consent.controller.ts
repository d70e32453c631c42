import { Body, Controller, Inject, Post, Req, UseGuards } from '@nestjs/common';
import type { Settings } from '@settle/config';
import { SCOPES, SettleError, type Scope } from '@settle/contracts';
import { SecurityLog } from '@settle/observability';
import type { FastifyRequest } from 'fastify';
import { MAX_AMOUNT_LENGTH, parseAmountPerDay } from '../spending-limits/amount-per-day.js';
import { buildOauthPaths } from '../oauth/oauth-paths.js';
import { form, oneOf, optional, secret, someOf, text, type FormOf } from '../http/form.js';
import { orRefusal, page, redirect, type PageResponse } from '../http/page-response.js';
import { SETTINGS } from '../injection/providers.js';
import { CsrfGuard } from '../sign-in/csrf.guard.js';
import { Sessions, type SignedInUser } from '../sign-in/sessions.js';
import { GrantIssuer } from './grant-issuer.js';
import { AuthorizationRequestError, buildResponseUrl, type AuthorizationRequest } from './authorization-request.js';
import { ConsentPages } from './consent-pages.js';

const ConsentForm = form({
  /** The id of the pending consent. */
  request: secret,
  /** `none` is what browsers send when the user presses Enter in a field. */
  decision: oneOf(['allow', 'deny', 'none']),
  scopes: someOf(SCOPES),
  /** In dollars. Empty means no limit; undefined keeps the current limit. */
  amount_per_day: optional(text(MAX_AMOUNT_LENGTH)),
});

/** Handles the decision of the user on the consent page. */
@Controller(buildOauthPaths())
export class ConsentController {
  constructor(
    private readonly sessions: Sessions,
    private readonly consentPages: ConsentPages,
    private readonly grants: GrantIssuer,
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly security: SecurityLog,
  ) {}

  @Post('consent')
  @UseGuards(CsrfGuard(ConsentForm))
  async consent(@Req() request: FastifyRequest, @Body() sent: FormOf<typeof ConsentForm>): Promise<PageResponse> {
    const signedIn = await this.sessions.current(request);
    if (!signedIn) throw new SettleError('not_permitted', 'You are no longer signed in. Start again from the app.');
    if (sent.decision === 'none') return this.#showAgain(signedIn, sent);
    if (sent.decision === 'allow' && sent.scopes.length === 0) {
      throw new SettleError(
        'invalid_request',
        'You selected nothing. Go back and select what to allow, or deny the request.',
      );
    }
    const amountPerDayCents = sent.decision === 'allow' ? parseConsentAmount(sent) : undefined;
    const authorization = await this.consentPages.consume(signedIn.sessionId, sent.request);
    const { userId } = signedIn;
    const appId = authorization.app.clientId;
    if (sent.decision === 'deny') {
      this.security.write('consent_denied', { userId, appId });
      throw new AuthorizationRequestError('access_denied', authorization, 'The user denied the request.');
    }
    const scopes = selectScopes(authorization, sent.scopes);
    const response = await this.grants.issue({ request: authorization, userId, scopes, amountPerDayCents });
    this.security.write('consent_granted', { userId, appId, scopes });
    return redirect(buildResponseUrl(authorization, response, this.settings.publicUrl));
  }

  async #showAgain(user: SignedInUser, sent: FormOf<typeof ConsentForm>): Promise<PageResponse> {
    const draft = { requestId: sent.request, scopes: sent.scopes, amountPerDay: sent.amount_per_day };
    const request = await this.consentPages.load(user.sessionId, sent.request);
    return page(await this.consentPages.render(request, user, draft), { formSources: 'anywhere' });
  }
}

/** Returns the daily limit in cents (null: no limit), or undefined if the form had no such field. */
function parseConsentAmount({ amount_per_day: typed }: FormOf<typeof ConsentForm>): number | null | undefined {
  if (typed === undefined) return undefined;
  const amount = orRefusal(() => parseAmountPerDay(typed));
  if (amount instanceof SettleError) throw new SettleError(amount.code, `${amount.message} Go back and correct it.`);
  return amount;
}

/** Returns the selected scopes in request order. Throws `invalid_request` for a scope that the app did not request. */
function selectScopes({ scopes }: AuthorizationRequest, selected: readonly string[]): Scope[] {
  if (!selected.every((name) => scopes.some((scope) => scope === name))) {
    throw new SettleError(
      'invalid_request',
      'The form names a scope that the app did not request. Start again from the app.',
    );
  }
  return scopes.filter((scope) => selected.includes(scope));
}
