import { Body, Controller, Inject, Post, Req, Res, UseGuards } from '@nestjs/common';
import { LIMITS, type Settings } from '@settle/config';
import { SettleError } from '@settle/contracts';
import type { Logger } from '@settle/observability';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { leadTo } from '../pages/send-page.js';
import { LOGGER, SETTINGS } from '../providers.js';
import { ConsentForm } from './forms.js';
import { OwnForm } from '../sign-in/own-form.guard.js';
import { Sessions } from '../sign-in/sessions.js';
import { Tokens } from '../tokens/tokens.js';
import { answerWith } from './authorization-answer.js';
import { AuthorizationRefused } from './authorization-request.js';
import { Consents } from './consents.js';

/** Takes Allow and Deny. */
@Controller('v1/oauth')
export class ConsentController {
  constructor(
    private readonly sessions: Sessions,
    private readonly consents: Consents,
    private readonly tokens: Tokens,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  @Post('consent')
  @UseGuards(OwnForm(ConsentForm))
  async consent(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Body() form: ConsentForm): Promise<void> {
    const signedIn = await this.sessions.current(request);
    if (!signedIn) throw new SettleError('not_permitted', 'You are not signed in any more. Begin again from the app.');
    const asked = await this.consents.take(signedIn.sessionId, form.request);
    const { appId, scopes } = asked;
    const { userId } = signedIn;
    const requestId = request.headers['x-request-id'];
    this.logger.info({ requestId, userId, appId, scopes, decision: form.decision }, 'Consent answered');
    if (form.decision === 'deny') throw new AuthorizationRefused('access_denied', asked, 'The user said no.');
    const token = await this.tokens.issue({ appId, userId, scopes, lifeMs: LIMITS.auth.clientTokenMs });
    await leadTo(reply, answerWith(asked, { access_token: token }, this.settings.publicUrl));
  }
}
