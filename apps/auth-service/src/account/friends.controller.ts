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
import { readAmountPerDay } from '../app-amounts/typed-amount.js';
import { accountHead } from '../pages/navigation.js';
import { leadTo, sendPage } from '../pages/send-page.js';
import { CsrfGuard } from '../sign-in/csrf.guard.js';
import { ReauthenticationGuard } from '../sign-in/reauthentication.guard.js';
import { deriveFormToken } from '../sign-in/session-cookie.js';
import type { SignedInUser } from '../sign-in/sessions.js';
import { CurrentUser, SessionGuard } from '../sign-in/session.guard.js';
import { AskFriendForm, FriendForm } from './account.forms.js';
import { askFor, isKnownToPayments } from './ask-for.js';
import { doneWords } from './done.js';
import { renderFriends, type FriendsPage } from './friends.page.js';

/** One's friends, whom one trusts, and whom one has blocked. */
@Controller('account/friends')
@UseGuards(SessionGuard)
export class FriendsController {
  constructor(private readonly client: MessageClient) {}

  @Get()
  async page(@CurrentUser() me: SignedInUser, @Res() reply: FastifyReply, @Query('done') done: unknown): Promise<void> {
    await this.#show(reply, me, { done: doneWords(done) });
  }

  @Post()
  @UseGuards(CsrfGuard(AskFriendForm))
  async ask(@CurrentUser() me: SignedInUser, @Res() reply: FastifyReply, @Body() form: AskFriendForm): Promise<void> {
    const username = form.username.trim().replace(/^@/, '');
    try {
      if (username === '') throw new SettleError('invalid_request', 'Type a username.');
      const { outcome } = await askFor(this.client, askFriend, { userId: me.userId, username });
      await leadTo(reply, `/account/friends?done=${outcome}`);
    } catch (error) {
      if (!(error instanceof SettleError) || error.status >= 500) throw error;
      await this.#show(reply, me, { typed: form.username, fault: error.message }, error.status);
    }
  }

  @Post(':userId')
  @UseGuards(CsrfGuard(FriendForm), ReauthenticationGuard<FriendForm>(({ action }) => action === 'trust'))
  async change(
    @CurrentUser() me: SignedInUser,
    @Res() reply: FastifyReply,
    @Body() { action, amount_per_day: typed }: FriendForm,
    @Param('userId') otherId: string,
  ): Promise<void> {
    if (!isId(otherId)) throw new SettleError('resource_not_found', 'There is nobody under this address.');
    const change: ChangeFriendship = { userId: me.userId, otherId, action };
    if (action === 'trust' && typed !== undefined) {
      try {
        change.amountPerDayCents = readAmountPerDay(typed);
      } catch (error) {
        if (!(error instanceof SettleError)) throw error;
        const amountFault = { friendId: otherId, typed, message: error.message };
        return this.#show(reply, me, { amountFault }, error.status);
      }
    }
    const isKnown = await isKnownToPayments(this.client, changeFriendship, change);
    await leadTo(reply, `/account/friends?done=${isKnown ? 'saved' : 'late'}`);
  }

  async #show(reply: FastifyReply, me: SignedInUser, page: Partial<FriendsPage>, status = 200): Promise<void> {
    const friendships = await askFor(this.client, getFriendships, { userId: me.userId });
    const head = accountHead('/account/friends', deriveFormToken(me.sessionId));
    const nothing = { typed: '', fault: null, amountFault: null, done: null };
    await sendPage(reply, renderFriends({ head, friendships, ...nothing, ...page }), { status });
  }
}
