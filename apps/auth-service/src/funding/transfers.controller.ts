import { Body, Controller, UseGuards } from '@nestjs/common';
import { LIMITS } from '@settle/config';
import { SettleError, cancelWithdrawal, requestDeposit, requestWithdrawal, type FundingItem } from '@settle/contracts';
import { MessageClient } from '@settle/messaging';
import { DataSource } from 'typeorm';
import { form, matching, optional, password, text, type FormOf } from '../http/form.js';
import { orRefusal, redirect, type PageResponse } from '../http/page-response.js';
import { PostForm } from '../sign-in/csrf.guard.js';
import { ReauthenticationGuard } from '../sign-in/reauthentication.guard.js';
import { CurrentUser, SessionGuard } from '../sign-in/session.guard.js';
import type { SignedInUser } from '../sign-in/sessions.js';
import { orSettleError, sendForUser } from '../user-requests/user-requests.js';
import { parseFundingAmount } from './funding-amount.js';
import { FundingNotices } from './funding-notices.js';
import { FundingPages } from './funding-pages.js';
import { REASON_TEXTS, describeStatus } from './funding-texts.js';
import { findPayoutWaitEnd } from './payout-wait.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const amountFields = { funding_id: matching(UUID), amount: text(40), current_password: optional(password) };
const DepositForm = form({ ...amountFields, source_key: text(200) });
const WithdrawalForm = form(amountFields);
const CancelForm = form({ funding_id: text(200) });

const NOTICES = { deposit: 'deposit_requested', withdrawal: 'withdrawal_requested' } as const;

/** A form with an amount, and how it is carried out. */
interface Transfer {
  readonly section: keyof typeof NOTICES;
  readonly id: string;
  readonly typed: { readonly amount: string; readonly sourceKey?: string };
  readonly send: (amountCents: number) => Promise<FundingItem>;
}

/** Adds money from a source to the user's balance and pays it out. */
@Controller('account/funding')
@UseGuards(SessionGuard)
export class TransfersController {
  constructor(
    private readonly client: MessageClient,
    private readonly dataSource: DataSource,
    private readonly notices: FundingNotices,
    private readonly pages: FundingPages,
  ) {}

  @PostForm('deposits', DepositForm, ReauthenticationGuard())
  deposit(@CurrentUser() user: SignedInUser, @Body() input: FormOf<typeof DepositForm>): Promise<PageResponse> {
    const { funding_id: fundingId, amount, source_key: sourceKey } = input;
    const { userId } = user;
    const send = (amountCents: number) => {
      const request = { fundingId, userId, sourceKey, amountCents, beginBeforeMs: beginBeforeMs() };
      return sendForUser(this.client, requestDeposit, request);
    };
    return this.#transfer(user, { section: 'deposit', id: fundingId, typed: { amount, sourceKey }, send });
  }

  @PostForm('withdrawals', WithdrawalForm, ReauthenticationGuard())
  async withdraw(
    @CurrentUser() user: SignedInUser,
    @Body() { funding_id: fundingId, amount }: FormOf<typeof WithdrawalForm>,
  ): Promise<PageResponse> {
    const { userId } = user;
    const notBeforeUs = await findPayoutWaitEnd(this.dataSource, userId);
    const send = (amountCents: number) => {
      const request = { fundingId, userId, amountCents, notBeforeUs, beginBeforeMs: beginBeforeMs() };
      return sendForUser(this.client, requestWithdrawal, request);
    };
    return this.#transfer(user, { section: 'withdrawal', id: fundingId, typed: { amount }, send });
  }

  /** Cancels a withdrawal whose payout is not sent yet. */
  @PostForm('withdrawals/cancel', CancelForm)
  async cancel(
    @CurrentUser() user: SignedInUser,
    @Body() { funding_id: fundingId }: FormOf<typeof CancelForm>,
  ): Promise<PageResponse> {
    const item = await orSettleError(sendForUser(this.client, cancelWithdrawal, { userId: user.userId, fundingId }));
    if (item instanceof SettleError) return this.pages.refuse(user, { section: 'history', error: item });
    return redirect('/account/funding?done=withdrawal-cancelled');
  }

  async #transfer(user: SignedInUser, { section, id, typed, send }: Transfer): Promise<PageResponse> {
    const amountCents = orRefusal(() => parseFundingAmount(typed.amount));
    if (amountCents instanceof SettleError) return this.pages.refuse(user, { section, error: amountCents, typed, id });
    const item = await orSettleError(send(amountCents));
    const isRefused = item instanceof SettleError && item.code !== 'outcome_unknown';
    if (!isRefused) await this.notices.notify(user.userId, NOTICES[section], id);
    if (item instanceof SettleError) return this.pages.refuse(user, { section, error: item, typed, id });
    if (item.status === 'failed' || item.status === 'cancelled') {
      return this.pages.refuse(user, { section, error: createFailure(item), typed });
    }
    const outcome = item.nextAction === null ? item.status : 'confirm';
    return redirect(`/account/funding?done=${section}-${outcome}`);
  }
}

/** A later one is dropped, because the page no longer waits for it. */
const beginBeforeMs = (): number => Date.now() + LIMITS.auth.fundingBeginMs;

function createFailure(item: FundingItem): SettleError {
  const reasonText = item.reason === null ? [] : [REASON_TEXTS[item.reason]];
  return new SettleError('not_permitted', [describeStatus(item), ...reasonText].join(' '));
}
