import { NO_STREAM } from '@settle/event-store';
import {
  NO_PAYMENT,
  NO_STEPS,
  evolvePayment,
  evolveSteps,
  feeEntry,
  openRepayment,
  walletEntry,
  type ExistingPayment,
  type JournalEntry,
  type PaymentEvent,
  type PaymentState,
  type WalletEvent,
  type WalletSteps,
} from '@settle/payments-domain';
import type { LedgerEvent } from '../../storage/streams.js';
import { FundingFold, type TouchedFunding } from '../funding/funding-fold.js';

/** A payment that a batch of events changes, in its state after the batch. */
export interface TouchedPayment {
  readonly paymentId: string;
  payment: PaymentState;
  revision: number;
  steps: Map<string, WalletSteps>;
  isRefundWritten: boolean;
  /** Whether the batch has its PaymentCreated: then it has no rows yet. */
  isNew: boolean;
  /** Whether the batch changes the payment itself, and not only wallets. */
  isChanged: boolean;
}

export interface WalletLine {
  readonly walletId: string;
  readonly revision: number;
  readonly event: WalletEvent;
  readonly entry: JournalEntry;
  /** Whether its owner may have to be notified, which the next line decides in part. */
  readonly isNotified: boolean;
}

export interface FeeLine {
  readonly paymentId: string;
  readonly entry: JournalEntry;
}

/** Folds the events of one batch into changes of the read models. Accepts every event. */
export class BatchFold {
  readonly payments = new Map<string, TouchedPayment>();
  readonly walletLines: WalletLine[] = [];
  readonly feeLines: FeeLine[] = [];
  readonly funding: FundingFold;

  /** @param known payments and funding streams that exist before the batch and that it changes, as they were before it */
  constructor(known: Iterable<TouchedPayment>, knownFunding: Iterable<TouchedFunding> = []) {
    for (const payment of known) this.payments.set(payment.paymentId, payment);
    this.funding = new FundingFold(knownFunding);
  }

  add(fact: LedgerEvent): void {
    if (fact.kind === 'payment') this.#payment(fact.paymentId, fact.revision, fact.event);
    else if (fact.kind === 'wallet') this.#wallet(fact.walletId, fact.revision, fact.event);
    else this.funding.add(fact);
  }

  #payment(paymentId: string, revision: number, event: PaymentEvent): void {
    const touched = this.#touch(paymentId);
    // Already folded: the payment was read beyond the end of the previous batch.
    if (revision <= touched.revision) return;
    const isPending = touched.payment.status === 'pending';
    touched.payment = evolvePayment(touched.payment, event);
    touched.revision = revision;
    touched.isChanged = true;
    if (event.type === 'PaymentCreated') {
      touched.isNew = true;
      if (event.data.refundOf !== null) this.#touch(event.data.refundOf).isRefundWritten = true;
    }
    if (event.type !== 'PaymentSettled' || !isPending || touched.payment.status === 'none') return;
    const entry = feeEntry(paymentId, touched.payment.facts);
    if (entry !== null) this.feeLines.push({ paymentId, entry });
  }

  #wallet(walletId: string, revision: number, event: WalletEvent): void {
    this.funding.addWalletEvent(event);
    const { paymentId } = event.data;
    const steps = paymentId === null ? null : this.#touch(paymentId).steps;
    const before = steps?.get(walletId) ?? NO_STEPS;
    const entry = walletEntry(walletId, event);
    this.walletLines.push({ walletId, revision, event, entry, isNotified: mayNotify(event, before) });
    steps?.set(walletId, evolveSteps(before, event));
  }

  #touch(paymentId: string): TouchedPayment {
    const known = this.payments.get(paymentId);
    if (known !== undefined) return known;
    const touched = newTouchedPayment(paymentId);
    this.payments.set(paymentId, touched);
    return touched;
  }
}

/**
 * Returns whether the owner of the wallet may have to be notified: the source declined an approval, or money that was to
 * leave is balance. A return answers the repayment that was requested before it; so does late money.
 * @param before the payment's steps before the event
 */
function mayNotify({ type, data }: WalletEvent, { charges, debitChargeKey }: WalletSteps): boolean {
  switch (type) {
    case 'FundingDeclined':
    case 'WithdrawalReversed':
      return true;
    case 'FundsAdded':
      return data.isLate === true;
    case 'FundsReturned': {
      const charge = debitChargeKey === null ? undefined : charges.get(debitChargeKey);
      return charge !== undefined && openRepayment(charge) !== undefined;
    }
    default:
      return false;
  }
}

/** Returns a payment without events. */
export function newTouchedPayment(paymentId: string): TouchedPayment {
  return {
    paymentId,
    payment: NO_PAYMENT,
    revision: NO_STREAM,
    steps: new Map(),
    isRefundWritten: false,
    isNew: false,
    isChanged: false,
  };
}

/** Returns the ids of payments that a batch changes and does not create: their earlier state must be read. */
export function earlierPaymentIds(facts: readonly LedgerEvent[]): string[] {
  const created = new Set<string>();
  const touched = new Set<string>();
  for (const fact of facts) {
    if (fact.kind === 'wallet') {
      if (fact.event.data.paymentId !== null) touched.add(fact.event.data.paymentId);
      continue;
    }
    if (fact.kind !== 'payment') continue;
    if (fact.event.type === 'PaymentCreated') {
      created.add(fact.paymentId);
      if (fact.event.data.refundOf !== null) touched.add(fact.event.data.refundOf);
    } else {
      touched.add(fact.paymentId);
    }
  }
  return [...touched].filter((paymentId) => !created.has(paymentId));
}

/** Whether the payment exists, so that a row can be written. */
export function hasRow(touched: TouchedPayment): touched is TouchedPayment & { payment: ExistingPayment } {
  return touched.payment.status !== 'none';
}
