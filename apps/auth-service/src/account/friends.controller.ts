import { Body, Controller, Get, Param, Post, Query, Res, UseGuards } from '@nestjs/common';
import {
  SettleError,
  askFriend,
  changeFriendship,
  getFriendships,
  isId,
  type ChangeFriendship,
} from '@settle/contracts';
import { MessageClient } from '@settle/messaging';
import type { FastifyReply } from 'fastify';
import { parseAmountPerDay } from '../spending-limits/amount-per-day.js';
import { buildAccountHeader } from '../pages/navigation.js';
import { redirect, sendPage } from '../http/send-page.js';
import { CsrfGuard } from '../sign-in/csrf.guard.js';
import { ReauthenticationGuard } from '../sign-in/reauthentication.guard.js';
import { deriveFormToken } from '../sign-in/session-cookie.js';
import type { SignedInUser } from '../sign-in/sessions.js';
import { CurrentUser, SessionGuard } from '../sign-in/session.guard.js';
import { FriendRequestForm, FriendActionForm } from './account.forms.js';
import { requestForUser, requestChange } from '../user-requests/user-requests.js';
import { getConfirmation } from '../pages/confirmations.js';
import { renderFriends, type FriendsPage } from './friends.page.js';

/** Manages the signed-in user's friends, trusted friends, and blocked users. */
@Controller('account/friends')
@UseGuards(SessionGuard)
export class FriendsController {
  constructor(private readonly client: MessageClient) {}

  @Get()
  async page(
    @CurrentUser() user: SignedInUser,
    @Res() reply: FastifyReply,
    @Query('done') done: unknown,
  ): Promise<void> {
    await this.#sendPage(reply, user, { confirmation: getConfirmation(done) });
  }

  @Post()
  @UseGuards(CsrfGuard(FriendRequestForm))
  async sendRequest(
    @CurrentUser() user: SignedInUser,
    @Res() reply: FastifyReply,
    @Body() form: FriendRequestForm,
  ): Promise<void> {
    const username = form.username.trim().replace(/^@/, '');
    try {
      if (username === '') throw new SettleError('invalid_request', 'Enter a username.');
      const { outcome } = await requestForUser(this.client, askFriend, { userId: user.userId, username });
      await redirect(reply, `/account/friends?done=${outcome}`);
    } catch (error) {
      if (!(error instanceof SettleError) || error.status >= 500) throw error;
      await this.#sendPage(reply, user, { typed: form.username, fault: error.message }, error.status);
    }
  }

  @Post(':userId')
  @UseGuards(CsrfGuard(FriendActionForm), ReauthenticationGuard<FriendActionForm>(({ action }) => action === 'trust'))
  async change(
    @CurrentUser() user: SignedInUser,
    @Res() reply: FastifyReply,
    @Body() { action, amount_per_day: typed }: FriendActionForm,
    @Param('userId') otherId: string,
  ): Promise<void> {
    if (!isId(otherId)) throw new SettleError('resource_not_found', "We couldn't find that user.");
    const change: ChangeFriendship = { userId: user.userId, otherId, action };
    if (action === 'trust' && typed !== undefined) {
      try {
        change.amountPerDayCents = parseAmountPerDay(typed);
      } catch (error) {
        if (!(error instanceof SettleError)) throw error;
        const amountFault = { friendId: otherId, typed, message: error.message };
        return this.#sendPage(reply, user, { amountFault }, error.status);
      }
    }
    const isConfirmed = await requestChange(this.client, changeFriendship, change);
    await redirect(reply, `/account/friends?done=${isConfirmed ? 'saved' : 'late'}`);
  }

  async #sendPage(reply: FastifyReply, user: SignedInUser, page: Partial<FriendsPage>, status = 200): Promise<void> {
    const friendships = await requestForUser(this.client, getFriendships, { userId: user.userId });
    const head = buildAccountHeader('/account/friends', deriveFormToken(user.sessionId));
    const defaults = { typed: '', fault: null, amountFault: null, confirmation: null };
    await sendPage(reply, renderFriends({ head, friendships, ...defaults, ...page }), { status });
  }
}
