import { LIMITS } from '@settle/config';
import { NO_STREAM, type EventStore, type StoredEvent } from '@settle/event-store';
import {
  NO_PAYMENT,
  NO_STEPS,
  evolvePayment,
  evolveSteps,
  targetUserIdOf,
  type ExistingPayment,
  type PaymentState,
  type StepFact,
  type WalletSteps,
} from '@settle/payments-domain';
import type { Pool } from 'pg';
import { WHOLE_PAYMENT, paymentStream, readPaymentEvent, readWalletEvent, walletStream } from '../streams.js';
import { NO_TAIL, type History, type WalletTail } from './transfer-draft.js';

/** What the journal keeps of a wallet's fact beside its line. */
export interface StepColumns {
  readonly event_type: StepFact['type'];
  readonly attempt: number | null;
  readonly source_id: string | null;
}

/** The fact that a line of the journal stands for, as far as steps depend on it. */
export function stepFactOf({ event_type: type, attempt, source_id }: StepColumns): StepFact {
  if (type !== 'FundingRequested') return { type, data: {} };
  return { type, data: { attempt: attempt ?? 0, sourceId: source_id ?? '' } };
}

/** One line of the journal that stands for this payment, or how far the journal knows a wallet. */
interface JournalRow {
  readonly wallet_id: string;
  readonly revision: number;
  /** Null: the wallet is complete in the journal up to `revision`. */
  readonly event_type: StepFact['type'] | null;
  readonly attempt: number | null;
  readonly source_id: string | null;
}

/** One snapshot: how far the journal knows each wallet, and which of its lines are the payment's. */
const JOURNAL_OF_PAYMENT = {
  name: 'journal-of-payment',
  text: `
    with lines as (
      select wallet_id, revision, event_type, attempt, source_id from ledger_entries
      where payment_id = $1
    ), wallets as (select unnest($2::bigint[]) as wallet_id union select wallet_id from lines)
    select wallet_id, revision, event_type, attempt, source_id from lines
    union all
    select wallet_id, coalesce((select max(e.revision) from ledger_entries e where e.wallet_id = w.wallet_id), -1), null, null, null
    from wallets w`,
};

/**
 * Reads all that is known of a payment: its stream, and of each wallet the journal's lines of it and the stream's
 * events after them. So whoever appends a step at the revision read here knows that it is not among the earlier ones.
 */
export class TransferHistories {
  constructor(
    private readonly store: EventStore,
    private readonly pool: Pool,
  ) {}

  /** The payment alone; `NO_PAYMENT` when there is none. */
  async payment(paymentId: string): Promise<Pick<History, 'payment' | 'paymentRevision' | 'position'>> {
    const stored = await this.store.readStream(paymentStream(paymentId), WHOLE_PAYMENT);
    const payment = stored.map(readPaymentEvent).reduce(evolvePayment, NO_PAYMENT as PaymentState);
    const newest = stored.at(-1);
    return { payment, paymentRevision: newest?.revision ?? NO_STREAM, position: newest?.position ?? 0 };
  }

  /** @param walletIds wallets that the next steps may touch beside those that hold something of the payment */
  async read(paymentId: string, walletIds: readonly string[]): Promise<History> {
    const { payment, paymentRevision, position } = await this.payment(paymentId);
    const named = payment.status === 'none' ? [] : partiesOf(payment);
    const wanted = [...new Set([...walletIds, ...named])];
    const { rows } = await this.pool.query<JournalRow>({ ...JOURNAL_OF_PAYMENT, values: [paymentId, wanted] });
    const steps = new Map<string, WalletSteps>();
    const tails = new Map<string, WalletTail>();
    const inOrder = [...rows].sort((left, right) => left.revision - right.revision);
    for (const row of inOrder) {
      if (row.event_type === null) continue;
      const fact = stepFactOf({ ...row, event_type: row.event_type });
      steps.set(row.wallet_id, evolveSteps(steps.get(row.wallet_id) ?? NO_STEPS, fact));
    }
    for (const { wallet_id, revision: knownRevision, event_type } of rows) {
      if (event_type !== null) continue;
      tails.set(wallet_id, await this.#follow(paymentId, wallet_id, { knownRevision, steps }));
    }
    const isRefundWritten = await this.#hasRefund(payment);
    return { payment, paymentRevision, position, steps, tails, isRefundWritten };
  }

  /** Reads a wallet from the newest event that the journal knows to the stream's end. */
  async #follow(
    paymentId: string,
    walletId: string,
    { knownRevision, steps }: { knownRevision: number; steps: Map<string, WalletSteps> },
  ): Promise<WalletTail> {
    let tail = NO_TAIL;
    let fromRevision = Math.max(knownRevision, 0);
    for (;;) {
      const limit = LIMITS.eventStore.eventsPerRead;
      const events = await this.store.readStream(walletStream(walletId), {
        direction: 'forwards',
        fromRevision,
        limit,
      });
      for (const event of events) {
        if (event.revision > knownRevision) this.#addStep(paymentId, walletId, { event, steps });
      }
      const newest = events.at(-1);
      if (newest === undefined) return tail;
      const { balanceCents } = readWalletEvent(newest).data;
      tail = { isOpen: true, balanceCents, revision: newest.revision };
      if (events.length < limit) return tail;
      fromRevision = newest.revision + 1;
    }
  }

  #addStep(
    paymentId: string,
    walletId: string,
    { event, steps }: { event: StoredEvent; steps: Map<string, WalletSteps> },
  ): void {
    const fact = readWalletEvent(event);
    if (fact.data.paymentId === paymentId) {
      steps.set(walletId, evolveSteps(steps.get(walletId) ?? NO_STEPS, fact));
    }
  }

  async #hasRefund(payment: PaymentState): Promise<boolean> {
    if (payment.status !== 'expired' && payment.status !== 'cancelled') return false;
    if (payment.refundId === null) return false;
    const refund = await this.payment(payment.refundId);
    return refund.payment.status !== 'none';
  }
}

/** Whoever's wallet the payment's own events name. */
function partiesOf(payment: ExistingPayment): string[] {
  return [payment.facts.actorId, targetUserIdOf(payment)].filter((userId) => userId !== null);
}
