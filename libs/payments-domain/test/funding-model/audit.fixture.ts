import type { DepositEvent, ReversalEvent, WithdrawalEvent } from '../../src/funding-events.js';
import { feeEntry, payoutEntry, walletEntry, type JournalEntry } from '../../src/journal.js';
import type { PaymentEvent } from '../../src/payment-events.js';
import { NO_PAYMENT, evolvePayment, type PaymentState } from '../../src/payment.js';
import type { WalletEvent } from '../../src/wallet-events.js';
import type { StepData } from '../../src/wallet-steps.js';
import { must } from '../transfer-model/audit.fixture.js';

export interface Events {
  readonly payment: PaymentEvent;
  readonly wallet: WalletEvent;
  readonly deposit: DepositEvent;
  readonly withdrawal: WithdrawalEvent;
  readonly reversal: ReversalEvent;
}
export type StreamKind = keyof Events;

interface FundingId {
  readonly fundingId?: string | null;
}

/** Reads every append as it is stored and refuses any prefix of the log in which the money does not add up. */
export class FundingAudit {
  readonly #accounts = new Map<string, number>();
  readonly #payments = new Map<string, PaymentState>();
  readonly #facts = new Map<string, Extract<WithdrawalEvent, { type: 'WithdrawalRequested' }>['data']>();
  readonly #seen = new Set<string>();

  /** @param mayRefuse whether the provider refused the charge, or can never begin it */
  constructor(private readonly mayRefuse: (chargeKey: string) => boolean) {}

  account(name: string): number {
    return this.#accounts.get(name) ?? 0;
  }

  readWallet(walletId: string, events: readonly WalletEvent[]): void {
    const before = this.account(`wallet:${walletId}`);
    for (const event of events) {
      this.#post(walletEntry(walletId, event));
      this.#readStep(walletId, event);
    }
    const after = this.account(`wallet:${walletId}`);
    must(events.at(-1)?.data.balanceCents === after, "the balance in the event differs from the journal's");
    const isReversed = events.some(({ type }) => type === 'FundsReversed');
    must(after >= Math.min(0, before) || isReversed, 'a wallet is below zero without a reversal');
    this.#sum();
  }

  readPayment(paymentId: string, event: PaymentEvent): void {
    const before = this.#payments.get(paymentId) ?? NO_PAYMENT;
    const payment = evolvePayment(before, event);
    must(payment !== before, 'a payment has two ends');
    this.#payments.set(paymentId, payment);
    if (payment.status !== 'settled' || payment.facts.mode === 'refund') return;
    const fee = feeEntry(paymentId, payment.facts);
    if (fee !== null) this.#post(fee);
    this.#sum();
  }

  readDeposit(id: string, event: DepositEvent): void {
    if (event.type === 'DepositFailed') this.#refuse(id);
  }

  readWithdrawal(id: string, event: WithdrawalEvent): void {
    if (event.type === 'WithdrawalRequested') this.#facts.set(id, event.data);
    const facts = this.#facts.get(id);
    if (event.type === 'WithdrawalPaid' && facts !== undefined) this.#post(payoutEntry(id, facts));
    this.#sum();
  }

  #refuse(chargeKey: string): void {
    must(this.mayRefuse(chargeKey), 'an attempt is refused although the provider gave no final answer');
  }

  #readStep(walletId: string, { type, data }: WalletEvent): void {
    const { chargeKey, reversalId, repaymentKey, key, ...owners }: StepData & FundingId = data;
    const isRefusal = type === 'FundingDeclined' || type === 'DebitRefused';
    if (isRefusal && typeof chargeKey === 'string') this.#refuse(chargeKey);
    if (type === 'RepaymentRequested') {
      must(!this.#seen.has(`reversed ${chargeKey}`), 'a repayment is requested although the charge is reversed');
    }
    this.#readReversal(type, String(chargeKey), String(reversalId));
    const owner = owners.paymentId ?? owners.fundingId ?? null;
    if (owner === null) return;
    // A payment is debited and returned once, however often its sources are charged.
    const ofCharge = type === 'FundsDebited' ? undefined : chargeKey;
    const step = `${walletId} ${type} ${owner} ${repaymentKey ?? reversalId ?? key ?? ofCharge}`;
    must(!this.#seen.has(step), `${type} stands twice`);
    this.#seen.add(step);
  }

  /** Remembers the charges with an open or lost reversal in the wallet. */
  #readReversal(type: WalletEvent['type'], chargeKey: string, reversalId: string): void {
    const open = `open ${chargeKey} ${reversalId}`;
    if (type === 'FundsReversed') this.#seen.add(open);
    else if (type === 'ReversalReturned') this.#seen.delete(open);
    else return;
    const isReversed = [...this.#seen].some((known) => known.startsWith(`open ${chargeKey} `));
    if (isReversed) this.#seen.add(`reversed ${chargeKey}`);
    else this.#seen.delete(`reversed ${chargeKey}`);
  }

  #post({ debitAccount, creditAccount, amountCents }: JournalEntry): void {
    this.#accounts.set(debitAccount, this.account(debitAccount) - amountCents);
    this.#accounts.set(creditAccount, this.account(creditAccount) + amountCents);
  }

  /** Wallets + transit + payouts + fees = funding in - funding out; no transit and no payout is below zero. */
  #sum(): void {
    let heldCents = 0;
    let fundedCents = 0;
    for (const [name, cents] of this.#accounts) {
      if (name.startsWith('funding:')) fundedCents -= cents;
      else heldCents += cents;
      const mayBeNegative = !name.startsWith('transit:') && !name.startsWith('payouts:');
      must(mayBeNegative || cents >= 0, `${name.split(':')[0]} is below zero`);
    }
    must(heldCents === fundedCents, `money was made or lost: ${heldCents} held, ${fundedCents} funded`);
  }
}
