import { Body, Controller, Inject, Post, Req, Res, UseGuards } from '@nestjs/common';
import type { Settings } from '@settle/config';
import { SettleError, type Scope } from '@settle/contracts';
import { SecurityLog } from '@settle/observability';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { readAmountPerDay } from '../app-amounts/typed-amount.js';
import { buildOauthPaths } from '../oauth/oauth-paths.js';
import { leadTo } from '../pages/send-page.js';
import { SETTINGS } from '../providers.js';
import { ConsentForm } from './forms.js';
import { CsrfGuard } from '../sign-in/csrf.guard.js';
import { Sessions } from '../sign-in/sessions.js';
import { Allowing } from './allowing.js';
import { answerWith } from './authorization-answer.js';
import { AuthorizationRefused, type AuthorizationRequest } from './authorization-request.js';
import { Consents } from './consents.js';

/** Takes Allow and Deny. */
@Controller(buildOauthPaths())
export class ConsentController {
  constructor(
    private readonly sessions: Sessions,
    private readonly consents: Consents,
    private readonly allowing: Allowing,
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly security: SecurityLog,
  ) {}

  @Post('consent')
  @UseGuards(CsrfGuard(ConsentForm))
  async consent(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Body() form: ConsentForm): Promise<void> {
    const signedIn = await this.sessions.current(request);
    if (!signedIn) throw new SettleError('not_permitted', 'You are not signed in any more. Begin again from the app.');
    if (form.decision === 'allow' && form.scopes.length === 0) {
      throw new SettleError('invalid_request', 'Nothing was chosen. Go back and choose what to allow, or deny it all.');
    }
    const amountPerDayCents = form.decision === 'allow' ? amountTyped(form) : undefined;
    const asked = await this.consents.take(signedIn.sessionId, form.request);
    const { userId } = signedIn;
    const { appId } = asked;
    if (form.decision === 'deny') {
      this.security.write('consent_denied', { userId, appId });
      throw new AuthorizationRefused('access_denied', asked, 'The user said no.');
    }
    const scopes = chosen(asked, form.scopes);
    const answer = await this.allowing.allow({ asked, userId, scopes, amountPerDayCents });
    this.security.write('consent_granted', { userId, appId, scopes });
    await leadTo(reply, answerWith(asked, answer, this.settings.publicUrl));
  }
}

/** Undefined: the page did not ask for it. */
function amountTyped({ amount_per_day: typed }: ConsentForm): number | null | undefined {
  if (typed === undefined) return undefined;
  try {
    return readAmountPerDay(typed);
  } catch (error) {
    if (!(error instanceof SettleError)) throw error;
    throw new SettleError(error.code, `${error.message} Go back and correct it.`);
  }
}

/** In the order of the request, and none that the page did not show. */
function chosen({ scopes }: AuthorizationRequest, ticked: readonly string[]): Scope[] {
  if (!ticked.every((one) => scopes.some((scope) => scope === one))) {
    throw new SettleError('invalid_request', 'The form names what the app did not ask for. Begin again from the app.');
  }
  return scopes.filter((scope) => ticked.includes(scope));
}
