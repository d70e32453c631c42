import { LIMITS } from '@settle/config';
import { NO_STREAM, START, type EventStore, type StoredEvent } from '@settle/event-store';
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
import { refundIdFor } from './refund-ids.js';
import type { History, WalletTail } from './transfer-draft.js';
import type { StoredWallet } from './wallets.js';

/** What a payment's own stream says. */
export interface PaymentHistory extends Pick<History, 'payment' | 'paymentRevision' | 'position'> {
  /** Position of the payment's first event. */
  readonly createdPosition: number;
}

/** All that the store and the journal know of a payment, and our wallets that it may touch. */
export interface ReadHistory extends PaymentHistory, Omit<History, 'tails'> {
  readonly stored: ReadonlyMap<string, StoredWallet>;
}

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
    private readonly unopened: WalletTail,
  ) {}

  /** The payment alone; `NO_PAYMENT` when there is none. */
  async payment(paymentId: string): Promise<PaymentHistory> {
    const stored = await this.store.readStream(paymentStream(paymentId), WHOLE_PAYMENT);
    const payment = stored.map(readPaymentEvent).reduce(evolvePayment, NO_PAYMENT as PaymentState);
    const newest = stored.at(-1);
    const [createdPosition, position] = [stored[0]?.position ?? START, newest?.position ?? START];
    return { payment, paymentRevision: newest?.revision ?? NO_STREAM, position, createdPosition };
  }

  /**
   * Of wallets that are not ours it is known what the journal holds, which may be old: their steps are not ours either.
   * @param walletIds wallets that the next steps may touch beside those that hold something of the payment
   */
  async read(
    paymentId: string,
    walletIds: readonly string[],
    isOurs: (walletId: string) => boolean,
  ): Promise<ReadHistory> {
    const history = await this.payment(paymentId);
    const { payment } = history;
    const named = payment.status === 'none' ? [] : partiesOf(payment);
    const wanted = [...new Set([...walletIds, ...named])];
    const { rows } = await this.pool.query<JournalRow>({ ...JOURNAL_OF_PAYMENT, values: [paymentId, wanted] });
    const steps = new Map<string, WalletSteps>();
    const wallets = new Map<string, StoredWallet>();
    const inOrder = [...rows].sort((left, right) => left.revision - right.revision);
    for (const row of inOrder) {
      if (row.event_type === null) continue;
      const fact = stepFactOf({ ...row, event_type: row.event_type });
      steps.set(row.wallet_id, evolveSteps(steps.get(row.wallet_id) ?? NO_STEPS, fact));
    }
    for (const { wallet_id, revision: knownRevision, event_type } of rows) {
      if (event_type !== null || !isOurs(wallet_id)) continue;
      wallets.set(wallet_id, await this.#follow(paymentId, wallet_id, { knownRevision, steps }));
    }
    return { ...history, steps, stored: wallets, ...(await this.refundOf(paymentId, payment)) };
  }

  /**
   * Which id the payment that gives a held pay back has or will have, and whether it is written. An id that belongs to
   * another payment is passed over, also where the end names it: another may have taken it just then.
   */
  async refundOf(paymentId: string, payment: PaymentState): Promise<Pick<History, 'refundId' | 'isRefundWritten'>> {
    const none = { refundId: '', isRefundWritten: false };
    if (payment.status === 'none' || payment.facts.mode !== 'hold') return none;
    const hasEnded = payment.status === 'expired' || payment.status === 'cancelled';
    if (!hasEnded && payment.status !== 'pending') return none;
    let refundId = (hasEnded ? payment.refundId : null) ?? refundIdFor(paymentId);
    for (let draw = 1; ; draw += 1) {
      const { payment: refund } = await this.payment(refundId);
      if (refund.status === 'none') return { refundId, isRefundWritten: false };
      if (refund.facts.refundOf === paymentId) return { refundId, isRefundWritten: true };
      refundId = refundIdFor(paymentId, draw);
    }
  }

  /** Reads a wallet from the newest event that the journal knows to the stream's end. */
  async #follow(
    paymentId: string,
    walletId: string,
    { knownRevision, steps }: { knownRevision: number; steps: Map<string, WalletSteps> },
  ): Promise<StoredWallet> {
    let stored: StoredWallet = { tail: this.unopened, position: START };
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
      if (newest === undefined) return stored;
      const { balanceCents } = readWalletEvent(newest).data;
      stored = { tail: { isOpen: true, balanceCents, revision: newest.revision }, position: newest.position };
      if (events.length < limit) return stored;
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
}

/** Whoever's wallet the payment's own events name. */
function partiesOf(payment: ExistingPayment): string[] {
  return [payment.facts.actorId, targetUserIdOf(payment)].filter((userId) => userId !== null);
}
