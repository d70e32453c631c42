import { Body, Controller, Get, Post, Query, UseGuards } from '@nestjs/common';
import { SettleError } from '@settle/contracts';
import { ConnectedApps } from '../connected-apps/connected-apps.js';
import type { FormOf } from '../http/form.js';
import { page, redirect, type PageResponse } from '../http/page-response.js';
import { getConfirmation } from '../pages/confirmations.js';
import { buildAccountHeader } from '../pages/navigation.js';
import { CurrentExchange } from '../sign-in/exchange.js';
import type { Exchange } from '../sign-in/session-cookie.js';
import { CsrfGuard } from '../sign-in/csrf.guard.js';
import { CurrentUser, SessionGuard } from '../sign-in/session.guard.js';
import { Sessions, type SignedInUser } from '../sign-in/sessions.js';
import { SignIn } from '../sign-in/sign-in.js';
import { PasswordForm } from './account.forms.js';
import { renderSecurity, type SecurityPage } from './security.page.js';
import { UserPasswords } from './user-passwords.js';

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
  page(@CurrentUser() user: SignedInUser, @Query('done') done: unknown): PageResponse {
    return securityPage(user, { confirmation: getConfirmation(done) });
  }

  @Post('password')
  @UseGuards(CsrfGuard(PasswordForm))
  async changePassword(
    @CurrentUser() user: SignedInUser,
    @CurrentExchange() exchange: Exchange,
    @Body() form: FormOf<typeof PasswordForm>,
  ): Promise<PageResponse> {
    const { current_password: currentPassword, password, end_apps: disconnectsApps } = form;
    const fault = await this.passwords.findFault(user.userId, password);
    if (fault !== null) return securityPage(user, { faults: { password: fault }, disconnectsApps }, 400);
    const credential = await this.signIn.reauthenticate(user, currentPassword, exchange.request);
    const passwordHash = credential && (await this.passwords.change(user.userId, password, credential));
    if (passwordHash === null) {
      const faults = { current_password: 'Wrong password. Try again.' };
      return securityPage(user, { faults, disconnectsApps }, 403);
    }
    await this.sessions.begin({ userId: user.userId, passwordHash }, exchange);
    const done = disconnectsApps ? await this.#disconnectApps(user.userId) : 'password';
    return redirect(`/account/security?done=${done}`);
  }

  /** Returns the `done` parameter of the page that follows. */
  async #disconnectApps(userId: string): Promise<string> {
    try {
      await this.connectedApps.disconnectAll(userId);
      return 'password-and-apps';
    } catch (error) {
      if (error instanceof SettleError && error.code === 'outcome_unknown') return 'password-and-apps-late';
      throw error;
    }
  }
}

function securityPage(user: SignedInUser, content: Partial<SecurityPage>, status = 200): PageResponse {
  const head = buildAccountHeader('/account/security', user);
  const defaults = { faults: {}, confirmation: null, disconnectsApps: true };
  return page(renderSecurity({ head, username: user.username, ...defaults, ...content }), { status });
}
