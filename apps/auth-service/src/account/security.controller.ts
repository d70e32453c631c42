import { Body, Controller, Get, Post, Query, Req, Res, UseGuards } from '@nestjs/common';
import { SettleError } from '@settle/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ConnectedApps } from '../connected-apps/connected-apps.js';
import { accountHead } from '../pages/navigation.js';
import { leadTo, sendPage } from '../pages/send-page.js';
import { CsrfGuard } from '../sign-in/csrf.guard.js';
import { deriveFormToken } from '../sign-in/session-cookie.js';
import { Sessions, type SignedInUser } from '../sign-in/sessions.js';
import { SignIn } from '../sign-in/sign-in.js';
import { CurrentUser, SessionGuard } from '../sign-in/session.guard.js';
import { PasswordForm } from './account.forms.js';
import { doneWords } from './done.js';
import { PasswordsOfPeople } from './passwords-of-people.js';
import { renderSecurity, type SecurityPage } from './security.page.js';

/** The password of somebody who is signed in. */
@Controller('account')
@UseGuards(SessionGuard)
export class SecurityController {
  constructor(
    private readonly signIn: SignIn,
    private readonly passwords: PasswordsOfPeople,
    private readonly sessions: Sessions,
    private readonly connectedApps: ConnectedApps,
  ) {}

  @Get('security')
  async page(@CurrentUser() me: SignedInUser, @Res() reply: FastifyReply, @Query('done') done: unknown): Promise<void> {
    await show(reply, me, { done: doneWords(done) });
  }

  @Post('password')
  @UseGuards(CsrfGuard(PasswordForm))
  async change(
    @CurrentUser() me: SignedInUser,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Body() form: PasswordForm,
  ): Promise<void> {
    const fault = await this.passwords.fault(me.userId, form.password);
    if (fault !== null) return show(reply, me, { faults: { password: fault }, endsApps: form.end_apps === 'yes' }, 400);
    const credential = await this.signIn.reauthenticate(me, form.current_password, request);
    const passwordHash = credential && (await this.passwords.change(me.userId, form.password, credential));
    if (passwordHash === null) {
      const faults = { current_password: 'This is not your password. Try again.' };
      return show(reply, me, { faults, endsApps: form.end_apps === 'yes' }, 403);
    }
    await this.sessions.begin({ userId: me.userId, passwordHash }, request, reply);
    await leadTo(reply, `/account/security?done=${await this.#endApps(me.userId, form)}`);
  }

  /** Returns the word for the page: what is done. */
  async #endApps(userId: string, { end_apps: endApps }: PasswordForm): Promise<string> {
    if (endApps === undefined) return 'password';
    try {
      await this.connectedApps.disconnectAll(userId);
      return 'password-and-apps';
    } catch (error) {
      if (error instanceof SettleError && error.code === 'outcome_unknown') return 'password-and-apps-late';
      throw error;
    }
  }
}

async function show(reply: FastifyReply, me: SignedInUser, page: Partial<SecurityPage>, status = 200): Promise<void> {
  const head = accountHead('/account/security', deriveFormToken(me.sessionId));
  await sendPage(
    reply,
    renderSecurity({ head, username: me.username, faults: {}, done: null, endsApps: true, ...page }),
    { status },
  );
}
