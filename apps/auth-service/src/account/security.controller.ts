import { Body, Controller, Get, Post, Query, Req, Res, UseGuards } from '@nestjs/common';
import { SettleError } from '@settle/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ConnectedApps } from '../connected-apps/connected-apps.js';
import { buildAccountHeader } from '../pages/navigation.js';
import { redirect, sendPage } from '../http/send-page.js';
import { CsrfGuard } from '../sign-in/csrf.guard.js';
import { deriveFormToken } from '../sign-in/session-cookie.js';
import { Sessions, type SignedInUser } from '../sign-in/sessions.js';
import { SignIn } from '../sign-in/sign-in.js';
import { CurrentUser, SessionGuard } from '../sign-in/session.guard.js';
import { PasswordForm } from './account.forms.js';
import { getConfirmation } from '../pages/confirmations.js';
import { UserPasswords } from './user-passwords.js';
import { renderSecurity, type SecurityPage } from './security.page.js';

/** Changes the signed-in user's password. */
@Controller('account')
@UseGuards(SessionGuard)
export class SecurityController {
  constructor(
    private readonly signIn: SignIn,
    private readonly passwords: UserPasswords,
    private readonly sessions: Sessions,
    private readonly connectedApps: ConnectedApps,
  ) {}

  @Get('security')
  async page(
    @CurrentUser() user: SignedInUser,
    @Res() reply: FastifyReply,
    @Query('done') done: unknown,
  ): Promise<void> {
    await sendSecurityPage(reply, user, { confirmation: getConfirmation(done) });
  }

  @Post('password')
  @UseGuards(CsrfGuard(PasswordForm))
  async changePassword(
    @CurrentUser() user: SignedInUser,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Body() form: PasswordForm,
  ): Promise<void> {
    const fault = await this.passwords.findFault(user.userId, form.password);
    if (fault !== null)
      return sendSecurityPage(
        reply,
        user,
        { faults: { password: fault }, disconnectsApps: form.end_apps === 'yes' },
        400,
      );
    const credential = await this.signIn.reauthenticate(user, form.current_password, request);
    const passwordHash = credential && (await this.passwords.change(user.userId, form.password, credential));
    if (passwordHash === null) {
      const faults = { current_password: 'Wrong password. Try again.' };
      return sendSecurityPage(reply, user, { faults, disconnectsApps: form.end_apps === 'yes' }, 403);
    }
    await this.sessions.begin({ userId: user.userId, passwordHash }, request, reply);
    await redirect(reply, `/account/security?done=${await this.#disconnectApps(user.userId, form)}`);
  }

  /** Returns the `done` parameter of the page that follows. */
  async #disconnectApps(userId: string, { end_apps: endApps }: PasswordForm): Promise<string> {
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

async function sendSecurityPage(
  reply: FastifyReply,
  user: SignedInUser,
  page: Partial<SecurityPage>,
  status = 200,
): Promise<void> {
  const head = buildAccountHeader('/account/security', deriveFormToken(user.sessionId));
  await sendPage(
    reply,
    renderSecurity({ head, username: user.username, faults: {}, confirmation: null, disconnectsApps: true, ...page }),
    { status },
  );
}
