import { NO_STREAM, START, type EventStore } from '@settle/event-store';
import {
  NO_PAYMENT,
  NO_STEPS,
  evolvePayment,
  evolveSteps,
  targetUserIdOf,
  type ExistingPayment,
  type PaymentState,
  type WalletSteps,
} from '@settle/payments-domain';
import type { Pool } from 'pg';
import { NO_STEP_COLUMNS, STEP_COLUMNS, stepFactOf, type StepColumns } from '../storage/step-columns.js';
import { WHOLE_PAYMENT, paymentStream, readPaymentEvent } from '../storage/streams.js';
import { readWalletAfter } from './read-wallet.js';
import { refundIdFor } from './refund-ids.js';
import type { TransferHistory, WalletTail } from './transfer-progress.js';
import type { StoredWallet } from './wallet-cache.js';

/** More refund ids than can be taken: each draw is taken with a chance of about one in four million. */
const MOST_DRAWS = 100;

/** A payment as its own stream has it. */
export interface PaymentHistory extends Pick<
  TransferHistory,
  'payment' | 'paymentRevision' | 'position' | 'causationId'
> {
  /** Log position of the payment's first event. */
  readonly createdPosition: number;
}

/** A payment as the store and the journal have it, with this instance's wallets that it may change. */
export interface StoredTransfer extends PaymentHistory, Omit<TransferHistory, 'tails'> {
  readonly stored: ReadonlyMap<string, StoredWallet>;
}

/** A journal line of the payment, or the revision up to which the journal has a wallet. */
interface JournalRow extends Omit<StepColumns, 'event_type'> {
  readonly wallet_id: string;
  readonly revision: number;
  /** Null: the journal has the wallet up to `revision`. */
  readonly event_type: StepColumns['event_type'] | null;
}

/** One snapshot: the revision up to which the journal has each wallet, and its lines of the payment. */
const JOURNAL_OF_PAYMENT = {
  name: 'journal-of-payment',
  text: `
    with lines as (
      select wallet_id, revision, ${STEP_COLUMNS} from ledger_entries
      where payment_id = $1
    ), wallets as (select unnest($2::bigint[]) as wallet_id union select wallet_id from lines)
    select wallet_id, revision, ${STEP_COLUMNS} from lines
    union all
    select wallet_id, coalesce((select max(e.revision) from ledger_entries e where e.wallet_id = w.wallet_id), -1),
      ${NO_STEP_COLUMNS}
    from wallets w`,
};

/**
 * Reads a payment: its stream, and for each wallet the journal's lines of it and the wallet stream's events after them.
 * A step that is appended at the revision read here is therefore not among the earlier ones.
 */
export class PaymentHistoryReader {
  constructor(
    private readonly store: EventStore,
    private readonly pool: Pool,
    private readonly emptyWallet: WalletTail,
  ) {}

  /** Reads the payment alone; `NO_PAYMENT` if there is none. Errors: the store's. */
  async readPayment(paymentId: string): Promise<PaymentHistory> {
    const stored = await this.store.readStream(paymentStream(paymentId), WHOLE_PAYMENT);
    const payment = stored.map(readPaymentEvent).reduce(evolvePayment, NO_PAYMENT);
    const newest = stored.at(-1);
    const [createdPosition, position] = [stored[0]?.position ?? START, newest?.position ?? START];
    const [paymentRevision, causationId] = [newest?.revision ?? NO_STREAM, newest?.id ?? ''];
    return { payment, paymentRevision, position, createdPosition, causationId };
  }

  /**
   * Reads the payment and its wallets. Steps of other instances' wallets come from the journal alone, which may be behind:
   * those steps are the other instances' to append.
   * @param walletIds wallets that the next steps may change beside those that have steps of the payment
   */
  async readTransfer(
    paymentId: string,
    walletIds: readonly string[],
    isOwned: (walletId: string) => boolean,
  ): Promise<StoredTransfer> {
    const history = await this.readPayment(paymentId);
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
    const owned = rows.filter(({ wallet_id, event_type }) => event_type === null && isOwned(wallet_id));
    const readWallet = async ({ wallet_id: walletId, revision: knownRevision }: JournalRow) => {
      const wallet = await readWalletAfter(
        this.store,
        { walletId, knownRevision, emptyWallet: this.emptyWallet },
        (event) => {
          if (event.data.paymentId !== paymentId) return;
          steps.set(walletId, evolveSteps(steps.get(walletId) ?? NO_STEPS, event));
        },
      );
      wallets.set(walletId, wallet);
    };
    // In one turn: the store reads them together.
    await Promise.all(owned.map(readWallet));
    return { ...history, steps, stored: wallets, ...(await this.readRefund(paymentId, payment)) };
  }

  /**
   * Returns the id that the refund payment of a held pay has or will have, and whether it is written. Skips ids that
   * belong to another payment, even if the payment's end names one: another payment may have taken it just then.
   */
  async readRefund(
    paymentId: string,
    payment: PaymentState,
  ): Promise<Pick<TransferHistory, 'refundId' | 'isRefundWritten'>> {
    const none = { refundId: '', isRefundWritten: false };
    if (payment.status === 'none' || payment.facts.mode !== 'hold') return none;
    const hasEnded = payment.status === 'expired' || payment.status === 'cancelled';
    if (!hasEnded && payment.status !== 'pending') return none;
    let refundId = (hasEnded ? payment.refundId : null) ?? refundIdFor(paymentId);
    for (let draw = 1; draw <= MOST_DRAWS; draw += 1) {
      const { payment: refund } = await this.readPayment(refundId);
      if (refund.status === 'none') return { refundId, isRefundWritten: false };
      if (refund.facts.refundOf === paymentId) return { refundId, isRefundWritten: true };
      refundId = refundIdFor(paymentId, draw);
    }
    throw new Error(`Payment ${paymentId} finds no free refund id in ${MOST_DRAWS} draws`);
  }
}

/** Returns the users whose wallets the payment's own events name. */
function partiesOf(payment: ExistingPayment): string[] {
  return [payment.facts.actorId, targetUserIdOf(payment)].filter((userId) => userId !== null);
}
