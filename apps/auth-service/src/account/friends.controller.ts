import { Body, Controller, Get, Param, Query, UseGuards } from '@nestjs/common';
import {
  FRIEND_ACTIONS,
  SettleError,
  askFriend,
  changeFriendship,
  getFriendships,
  isId,
  type ChangeFriendship,
  type Friend,
} from '@settle/contracts';
import { MessageClient } from '@settle/messaging';
import { form, oneOf, optional, password, text, type FormOf } from '../http/form.js';
import { orRefusal, page, redirect, type PageResponse } from '../http/page-response.js';
import { PostForm } from '../sign-in/csrf.guard.js';
import { ReauthenticationGuard } from '../sign-in/reauthentication.guard.js';
import { CurrentUser, SessionGuard } from '../sign-in/session.guard.js';
import type { SignedInUser } from '../sign-in/sessions.js';
import { MAX_AMOUNT_LENGTH, formatAmountPerDay, parseAmountPerDay } from '../spending-limits/amount-per-day.js';
import { requestChange, requestForUser } from '../user-requests/user-requests.js';
import { renderFriends, type FriendsPage } from './friends.page.js';

const FriendRequestForm = form({ username: text(200) });

const FriendActionForm = form({
  action: oneOf(FRIEND_ACTIONS),
  /** The limit for `trust` in dollars. Empty removes the limit; undefined keeps it. */
  amount_per_day: optional(text(MAX_AMOUNT_LENGTH)),
  current_password: optional(password),
});

/** Manages the signed-in user's friends, trusted friends, and blocked users. */
@Controller('account/friends')
@UseGuards(SessionGuard)
export class FriendsController {
  constructor(private readonly client: MessageClient) {}

  @Get()
  page(@CurrentUser() user: SignedInUser, @Query('done') done: unknown): Promise<PageResponse> {
    return this.#page(user, { done });
  }

  @PostForm('', FriendRequestForm)
  async sendRequest(
    @CurrentUser() user: SignedInUser,
    @Body() form: FormOf<typeof FriendRequestForm>,
  ): Promise<PageResponse> {
    const username = form.username.trim().replace(/^@/, '');
    try {
      if (username === '') throw new SettleError('invalid_request', 'Enter a username.');
      const { outcome } = await requestForUser(this.client, askFriend, { userId: user.userId, username });
      return redirect(`/account/friends?done=${outcome}`);
    } catch (error) {
      if (!(error instanceof SettleError) || error.status >= 500) throw error;
      return this.#page(user, { typed: form.username, fault: error.message }, error.status);
    }
  }

  @PostForm(
    ':userId',
    FriendActionForm,
    ReauthenticationGuard<FormOf<typeof FriendActionForm>>(({ action }) => action === 'trust'),
  )
  async change(
    @CurrentUser() user: SignedInUser,
    @Body() { action, amount_per_day: typed }: FormOf<typeof FriendActionForm>,
    @Param('userId') otherId: string,
  ): Promise<PageResponse> {
    if (!isId(otherId)) throw new SettleError('resource_not_found', "We couldn't find that user.");
    let change: ChangeFriendship = { userId: user.userId, otherId, action };
    if (action === 'trust' && typed !== undefined) {
      const amount = orRefusal(() => parseAmountPerDay(typed));
      if (amount instanceof SettleError) {
        const amountFault = { friendId: otherId, typed, message: amount.message };
        return this.#page(user, { amountFault }, amount.status);
      }
      change = { ...change, amountPerDayCents: amount };
    }
    const isConfirmed = await requestChange(this.client, changeFriendship, change);
    return redirect(`/account/friends?done=${isConfirmed ? 'saved' : 'late'}`);
  }

  async #page(user: SignedInUser, content: FriendsContent, status = 200): Promise<PageResponse> {
    const friendships = await requestForUser(this.client, getFriendships, { userId: user.userId });
    const amountOf = ({ trustAmountPerDayCents }: Friend) => formatAmountPerDay(trustAmountPerDayCents);
    return page(renderFriends(user, { friendships, amountOf, ...content }), { status });
  }
}

type FriendsContent = Omit<FriendsPage, 'friendships' | 'amountOf'> & { readonly done?: unknown };
