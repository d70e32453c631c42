import {
  FEES_ACCOUNT,
  feeEntry,
  transitAccount,
  walletAccount,
  walletEntry,
  type JournalEntry,
} from '../../src/journal.js';
import type { PaymentEvent } from '../../src/payment-events.js';
import { NO_PAYMENT, evolvePayment, type PaymentState } from '../../src/payment.js';
import type { WalletEvent } from '../../src/wallet-events.js';
import { PAYMENT_ID } from './scenario.fixture.js';
import type { Entry } from './store.fixture.js';

/** Reads the log as it grows and refuses any prefix in which the money does not add up. */
export class Audit {
  payment: PaymentState = NO_PAYMENT;
  readonly accounts = new Map<string, number>();
  readonly balances = new Map<string, number>();
  /** How often each step stands in each wallet: `ann FundsDebited`. */
  readonly steps = new Map<string, number>();
  readonly refunds = new Set<string>();
  readonly #isCreditLast: boolean;

  /** @param isCreditLast whether every credit follows `PaymentSettled`; if not, only the end shows a credit without it */
  constructor({ isCreditLast }: { readonly isCreditLast: boolean }) {
    this.#isCreditLast = isCreditLast;
  }

  account(name: string): number {
    return this.accounts.get(name) ?? 0;
  }

  count(walletId: string, type: WalletEvent['type']): number {
    return this.steps.get(`${walletId} ${type}`) ?? 0;
  }

  read(entry: Entry): void {
    if (entry.kind === 'wallet') this.#readWallet(entry.key, entry.event);
    else if (entry.key === PAYMENT_ID) this.#readPayment(entry.event, entry.revision);
    else this.refunds.add(entry.key);
    this.#sum();
  }

  #readPayment(event: PaymentEvent, revision: number): void {
    must(revision <= 1, 'a payment ended twice');
    must((revision === 0) === (event.type === 'PaymentCreated'), 'a payment does not begin with its creation');
    this.payment = evolvePayment(this.payment, event);
    if (event.type !== 'PaymentSettled' || this.payment.status === 'none') return;
    const fee = feeEntry(PAYMENT_ID, this.payment.facts);
    if (fee !== null) this.#post(fee);
  }

  #readWallet(walletId: string, event: WalletEvent): void {
    this.#post(walletEntry(walletId, event));
    const { balanceCents } = event.data;
    must(balanceCents >= 0, `the balance of ${walletId} is below zero`);
    must(balanceCents === this.account(walletAccount(walletId)), `${walletId}'s balance is not what its journal says`);
    this.balances.set(walletId, balanceCents);
    if (event.data.paymentId === PAYMENT_ID) this.#readStep(walletId, event);
  }

  #readStep(walletId: string, event: WalletEvent): void {
    must(this.payment.status !== 'none', 'a step stands before its payment');
    const attempt = event.type === 'FundingRequested' || event.type === 'FundingDeclined' ? event.data.attempt : null;
    const step = attempt === null ? `${walletId} ${event.type}` : `${walletId} ${event.type} ${attempt}`;
    const times = (this.steps.get(step) ?? 0) + 1;
    must(times === 1, `${step} stands twice`);
    this.steps.set(step, times);
    if (event.type === 'DebitRefused') must(this.count(walletId, 'FundsDebited') === 0, 'debited, then refused');
    const { payment } = this;
    if (event.type === 'FundsCredited' && this.#isCreditLast) {
      must(payment.status === 'settled', 'credited before it was settled');
    }
    if (event.type === 'FundsDebited' && payment.status === 'failed') must(false, 'debited after it failed');
  }

  #post({ debitAccount, creditAccount, amountCents }: JournalEntry): void {
    this.accounts.set(debitAccount, this.account(debitAccount) - amountCents);
    this.accounts.set(creditAccount, this.account(creditAccount) + amountCents);
  }

  /** Wallets + transit + fees = funding in - funding out, with the balances that the wallets' own events carry. */
  #sum(): void {
    let heldCents = this.account(FEES_ACCOUNT);
    let fundedCents = 0;
    for (const cents of this.balances.values()) heldCents += cents;
    for (const [name, cents] of this.accounts) {
      if (name.startsWith('transit:')) heldCents += cents;
      if (name.startsWith('funding:')) fundedCents -= cents;
    }
    must(heldCents === fundedCents, `money was made or lost: ${heldCents} held, ${fundedCents} funded`);
    must(this.account(transitAccount(PAYMENT_ID)) >= 0, 'more left the transit than came in');
  }
}

/** Money or a promise about it is broken. */
export class Violation extends Error {}

export function must(holds: boolean, violation: string): void {
  if (!holds) throw new Violation(violation);
}
