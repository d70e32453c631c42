import { NO_STREAM, type StoredEvent } from '@settle/event-store';
import {
  NO_PAYMENT,
  NO_STEPS,
  evolvePayment,
  evolveSteps,
  feeEntry,
  walletEntry,
  type ExistingPayment,
  type JournalEntry,
  type PaymentEvent,
  type PaymentState,
  type Transfer,
  type WalletEvent,
  type WalletSteps,
} from '@settle/payments-domain';
import { readFact } from '../storage/streams.js';
import { storableText } from '../shared/storable-text.js';

/** A payment that a batch of events touches, folded as far as the batch goes. */
export interface TouchedPayment {
  readonly paymentId: string;
  payment: PaymentState;
  revision: number;
  steps: Map<string, WalletSteps>;
  isRefundWritten: boolean;
  /** Whether its Created is in this batch: then it has no rows yet. */
  isNew: boolean;
  /** Whether this batch has moved the payment itself, and not only wallets for it. */
  isMoved: boolean;
}

export interface WalletLine {
  readonly walletId: string;
  readonly revision: number;
  readonly event: WalletEvent;
  readonly entry: JournalEntry;
}

export interface FeeLine {
  readonly paymentId: string;
  readonly entry: JournalEntry;
}

/** Folds the events of one batch into what becomes of the read models. Never refuses a fact. */
export class BatchFold {
  readonly payments = new Map<string, TouchedPayment>();
  readonly walletLines: WalletLine[] = [];
  readonly feeLines: FeeLine[] = [];

  /** @param known the payments that the batch touches and did not begin, as they were before it */
  constructor(known: Iterable<TouchedPayment>) {
    for (const payment of known) this.payments.set(payment.paymentId, payment);
  }

  add(stored: StoredEvent): void {
    const fact = readFact(stored);
    if (fact.kind === 'payment') this.#payment(fact.paymentId, fact.revision, fact.event);
    else this.#wallet(fact.walletId, fact.revision, fact.event);
  }

  #payment(paymentId: string, revision: number, event: PaymentEvent): void {
    const touched = this.#touch(paymentId);
    // A fact that was counted already: the payment was read a little further than the batch before this one.
    if (revision <= touched.revision) return;
    const isPending = touched.payment.status === 'pending';
    touched.payment = evolvePayment(touched.payment, event);
    touched.revision = revision;
    touched.isMoved = true;
    if (event.type === 'PaymentCreated') {
      touched.isNew = true;
      if (event.data.refundOf !== null) this.#touch(event.data.refundOf).isRefundWritten = true;
    }
    if (event.type !== 'PaymentSettled' || !isPending || touched.payment.status === 'none') return;
    const entry = feeEntry(paymentId, touched.payment.facts);
    if (entry !== null) this.feeLines.push({ paymentId, entry });
  }

  #wallet(walletId: string, revision: number, event: WalletEvent): void {
    this.walletLines.push({ walletId, revision, event, entry: walletEntry(walletId, event) });
    if (event.data.paymentId === null) return;
    const { steps } = this.#touch(event.data.paymentId);
    steps.set(walletId, evolveSteps(steps.get(walletId) ?? NO_STEPS, event));
  }

  #touch(paymentId: string): TouchedPayment {
    const known = this.payments.get(paymentId);
    if (known !== undefined) return known;
    const touched = untouched(paymentId);
    this.payments.set(paymentId, touched);
    return touched;
  }
}

/** A payment of which nothing is known yet. */
export function untouched(paymentId: string): TouchedPayment {
  return {
    paymentId,
    payment: NO_PAYMENT,
    revision: NO_STREAM,
    steps: new Map(),
    isRefundWritten: false,
    isNew: false,
    isMoved: false,
  };
}

/** Ids of the payments that a batch touches without beginning them, and so must be read before it. */
export function begunEarlier(events: readonly StoredEvent[]): string[] {
  const begun = new Set<string>();
  const touched = new Set<string>();
  for (const stored of events) {
    const fact = readFact(stored);
    if (fact.kind === 'wallet') {
      if (fact.event.data.paymentId !== null) touched.add(fact.event.data.paymentId);
      continue;
    }
    if (fact.event.type === 'PaymentCreated') {
      begun.add(fact.paymentId);
      if (fact.event.data.refundOf !== null) touched.add(fact.event.data.refundOf);
    } else {
      touched.add(fact.paymentId);
    }
  }
  return [...touched].filter((paymentId) => !begun.has(paymentId));
}

/** The funding source that a wallet's event names, as a table can hold it. */
export function sourceIdIn({ data }: WalletEvent): string | null {
  return 'sourceId' in data && data.sourceId !== null ? storableText(data.sourceId) : null;
}

/** The app through which a wallet's event was approved, as a table can hold it; null: none, or it was not kept. */
export function appIdIn({ data }: WalletEvent): string | null {
  return 'appId' in data && data.appId !== undefined ? storableText(data.appId) : null;
}

/** As `nextStep` wants it. */
export function transferOf({ paymentId, payment, steps, isRefundWritten }: TouchedPayment): Transfer {
  return { paymentId, payment, steps, isRefundWritten };
}

/** Those of which a row can be written. */
export function existing(touched: TouchedPayment): touched is TouchedPayment & { payment: ExistingPayment } {
  return touched.payment.status !== 'none';
}
