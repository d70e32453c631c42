import { Body, Controller, Get, Post, Query, Req, Res, UseGuards } from '@nestjs/common';
import { SettleError } from '@settle/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ConnectedApps } from '../connected-apps/connected-apps.js';
import { accountHead } from '../pages/navigation.js';
import { leadTo, sendPage } from '../pages/send-page.js';
import { OwnForm } from '../sign-in/own-form.guard.js';
import { formTokenOf } from '../sign-in/session-cookie.js';
import { Sessions, type SignedIn } from '../sign-in/sessions.js';
import { SignIn } from '../sign-in/sign-in.js';
import { Me, SignedInGuard } from '../sign-in/signed-in.guard.js';
import { PasswordForm } from './account.forms.js';
import { doneWords } from './done.js';
import { PasswordsOfPeople } from './passwords-of-people.js';
import { renderSecurity, type SecurityPage } from './security.page.js';

/** The password of somebody who is signed in. */
@Controller('account')
@UseGuards(SignedInGuard)
export class SecurityController {
  constructor(
    private readonly signIn: SignIn,
    private readonly passwords: PasswordsOfPeople,
    private readonly sessions: Sessions,
    private readonly connectedApps: ConnectedApps,
  ) {}

  @Get('security')
  async page(@Me() me: SignedIn, @Res() reply: FastifyReply, @Query('done') done: unknown): Promise<void> {
    await show(reply, me, { done: doneWords(done) });
  }

  @Post('password')
  @UseGuards(OwnForm(PasswordForm))
  async change(
    @Me() me: SignedIn,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Body() form: PasswordForm,
  ): Promise<void> {
    const fault = await this.passwords.fault(me.userId, form.password);
    if (fault !== null) return show(reply, me, { faults: { password: fault }, endsApps: form.end_apps === 'yes' }, 400);
    const credential = await this.signIn.verifyAgain(me, form.current_password, request);
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

async function show(reply: FastifyReply, me: SignedIn, page: Partial<SecurityPage>, status = 200): Promise<void> {
  const head = accountHead('/account/security', formTokenOf(me.sessionId));
  await sendPage(
    reply,
    renderSecurity({ head, username: me.username, faults: {}, done: null, endsApps: true, ...page }),
    { status },
  );
}
