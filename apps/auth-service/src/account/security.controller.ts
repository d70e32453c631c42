import { Body, Controller, Get, Query, UseGuards } from '@nestjs/common';
import { ConnectedApps } from '../connected-apps/connected-apps.js';
import { checkbox, form, password, type FormOf } from '../http/form.js';
import { page, redirect, type PageResponse } from '../http/page-response.js';
import { CurrentExchange } from '../sign-in/exchange.js';
import type { Exchange } from '../sign-in/session-cookie.js';
import { PostForm } from '../sign-in/csrf.guard.js';
import { CurrentUser, SessionGuard } from '../sign-in/session.guard.js';
import { Sessions, type SignedInUser } from '../sign-in/sessions.js';
import { SignIn } from '../sign-in/sign-in.js';
import { isConfirmed } from '../user-requests/user-requests.js';
import { renderSecurity } from './security.page.js';
import { UserPasswords } from './user-passwords.js';

const PasswordForm = form({ current_password: password, password, end_apps: checkbox });

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
    return page(renderSecurity(user, { done }));
  }

  @PostForm('password', PasswordForm)
  async changePassword(
    @CurrentUser() user: SignedInUser,
    @CurrentExchange() exchange: Exchange,
    @Body()
    { current_password: currentPassword, password, end_apps: disconnectsApps }: FormOf<typeof PasswordForm>,
  ): Promise<PageResponse> {
    const fault = await this.passwords.findFault(user.userId, password);
    if (fault !== null) {
      return page(renderSecurity(user, { faults: { password: fault }, disconnectsApps }), { status: 400 });
    }
    const credential = await this.signIn.reauthenticate(user, currentPassword, exchange.request);
    const passwordHash = credential && (await this.passwords.change(user.userId, password, credential));
    if (passwordHash === null) {
      const faults = { current_password: 'Wrong password. Try again.' };
      return page(renderSecurity(user, { faults, disconnectsApps }), { status: 403 });
    }
    await this.sessions.begin({ userId: user.userId, passwordHash }, exchange);
    if (!disconnectsApps) return redirect('/account/security?done=password');
    const isDisconnected = await isConfirmed(this.connectedApps.disconnectAll(user.userId));
    return redirect(`/account/security?done=password-and-apps${isDisconnected ? '' : '-late'}`);
  }
}
