import { CopyRows, runCopyScript } from '@settle/postgres';
import type { StoredEvent } from '@settle/event-store';
import { escapeLiteral, type Pool } from 'pg';
import { CheckpointConnection } from './checkpoint-connection.js';
import { PROJECTION } from './checkpoints.js';
import { appIdIn, sourceIdIn, type FeeLine, type WalletLine } from './batch-fold.js';
import type { OpenWork } from '../read-models/open-work/open-work.js';
import { addressKeyOf, type ShownPayment } from '../read-models/payments/shown-payment.js';

const COPY_PAYMENTS = `copy payments (id, status, mode, action, amount_cents, fee_cents, audience, medium, actor_id,
  target_type, target_user_id, target_address, target_key, created_us, completed_us, refund_id, refund_of, revision, note,
  app_id)
  from stdin (format binary)`;
const COPY_LINES = `copy ledger_entries (wallet_id, revision, payment_id, event_type, debit_account, credit_account,
  amount_cents, balance_cents, attempt, source_id, app_id) from stdin (format binary)`;
const COPY_FEES = `copy fee_entries (payment_id, debit_account, credit_account, amount_cents) from stdin (format binary)`;
const COPY_WORK = `copy open_work (payment_id, act, owner_id, since_us) from stdin (format binary)`;

export interface PaymentChange {
  readonly shown: ShownPayment;
  /** The app that created it, as the table can hold it. */
  readonly appId: string;
  readonly revision: number;
}

/** What one batch of events writes. */
export interface ReadModelChanges {
  readonly begun: readonly PaymentChange[];
  /** Begun earlier, and changed by the batch. */
  readonly changed: readonly PaymentChange[];
  /** Of all payments that the batch touches and that were begun earlier. */
  readonly earlierIds: readonly string[];
  readonly walletLines: readonly WalletLine[];
  readonly feeLines: readonly FeeLine[];
  /** Open work of the payments that the batch touches; those begun earlier lose what they had. */
  readonly work: readonly OpenWork[];
}

export interface ReadModelWriterOptions {
  readonly pool: Pool;
  /** Of the lease under which it writes. */
  readonly fence: number;
  /** The channel on which others hear how far the read models have come; null: there are no others. */
  readonly tellsOthersOn: string | null;
}

/**
 * Writes the rows of every read model and the checkpoint in one transaction, which is one message: a process that freezes
 * between two messages would hold the checkpoint's row meanwhile.
 */
export class ReadModelWriter {
  readonly #connection: CheckpointConnection;
  readonly #payments = new CopyRows();
  readonly #lines = new CopyRows();
  readonly #fees = new CopyRows();
  readonly #work = new CopyRows();

  constructor(private readonly options: ReadModelWriterOptions) {
    this.#connection = new CheckpointConnection(options);
  }

  /**
   * Returns how far the read models are. From now on no holder of a smaller fence can move the checkpoint, and nothing
   * that such a holder has written is missing here. Null: a holder of a larger fence has claimed it.
   */
  claimCheckpoint(): Promise<number | null> {
    return this.#connection.claim();
  }

  /**
   * Rejects, nothing being written, when the checkpoint is no longer at `from`, or another's.
   * @param last the newest event of those that are written, which the checkpoint names; null: there is none
   */
  async write(changes: ReadModelChanges, from: number, to: number, last: StoredEvent | null): Promise<void> {
    try {
      await this.#connection.use(from, (client) => {
        const [statements, rows] = this.#copies(changes);
        return runCopyScript(client, [this.#move(from, to, last), ...statements].join('; '), rows);
      });
    } finally {
      for (const copy of [this.#payments, this.#lines, this.#fees, this.#work]) copy.clear();
    }
  }

  /** Gives the connection back. */
  close(): void {
    this.#connection.close();
  }

  /**
   * First in every transaction: whoever holds the checkpoint's row is alone with the tables. Rows of projections may be
   * lost together with the checkpoint: they come again. So they need not wait for the disk.
   */
  #move(from: number, to: number, last: StoredEvent | null): string {
    const { fence, tellsOthersOn } = this.options;
    const statements = [
      'set local synchronous_commit = off',
      `select move_checkpoint('${PROJECTION}', ${from}, ${to}, ${fence}${eventArguments(last)})`,
    ];
    if (tellsOthersOn !== null) statements.push(`notify ${tellsOthersOn}, '${to}'`);
    return statements.join('; ');
  }

  #copies(changes: ReadModelChanges): [string[], Buffer[]] {
    for (const change of changes.begun) this.#payment(change);
    for (const line of changes.walletLines) this.#line(line);
    for (const { paymentId, entry } of changes.feeLines) {
      this.#fees.row(4);
      this.#fees.int8(paymentId);
      this.#fees.text(entry.debitAccount);
      this.#fees.text(entry.creditAccount);
      this.#fees.int8(entry.amountCents);
    }
    for (const { paymentId, act, ownerId, sinceUs } of changes.work) {
      this.#work.row(4);
      this.#work.int8(paymentId);
      this.#work.text(act);
      this.#work.int8(ownerId);
      this.#work.int8(sinceUs);
    }
    const { changed, earlierIds } = changes;
    const statements: string[] = [];
    if (changed.length > 0) statements.push(updatePayments(changed));
    if (earlierIds.length > 0) statements.push(dropWork(earlierIds));
    const rows: Buffer[] = [];
    const copies = [
      [this.#payments, COPY_PAYMENTS],
      [this.#lines, COPY_LINES],
      [this.#fees, COPY_FEES],
      [this.#work, COPY_WORK],
    ] as const;
    for (const [copy, statement] of copies) {
      if (copy.isEmpty) continue;
      statements.push(statement);
      rows.push(copy.finish());
    }
    return [statements, rows];
  }

  #payment({ shown, appId, revision }: PaymentChange): void {
    const { targetType, targetAddress } = shown;
    const copy = this.#payments;
    copy.row(20);
    copy.int8(shown.id);
    copy.text(shown.status);
    copy.text(shown.mode);
    copy.text(shown.action);
    copy.int8(shown.amountCents);
    copy.int8(shown.feeCents);
    copy.text(shown.audience);
    copy.text(shown.medium);
    copy.int8(shown.actorId);
    copy.text(targetType);
    copy.int8(shown.targetUserId);
    copy.text(targetAddress);
    copy.text(addressKeyOf(shown));
    copy.int8(shown.createdAtUs);
    copy.int8(shown.completedAtUs);
    copy.int8(shown.refundId);
    copy.int8(shown.refundOf);
    copy.int4(revision);
    copy.text(shown.note);
    copy.text(appId);
  }

  #line({ walletId, revision, event, entry }: WalletLine): void {
    const copy = this.#lines;
    copy.row(11);
    copy.int8(walletId);
    copy.int4(revision);
    copy.int8(event.data.paymentId);
    copy.text(event.type);
    copy.text(entry.debitAccount);
    copy.text(entry.creditAccount);
    copy.int8(entry.amountCents);
    copy.int8(event.data.balanceCents);
    copy.int4('attempt' in event.data ? event.data.attempt : null);
    copy.text(sourceIdIn(event));
    copy.text(appIdIn(event));
  }
}

/** The event as further arguments of `move_checkpoint`. */
function eventArguments(event: StoredEvent | null): string {
  if (event === null) return '';
  const { stream, revision, id, position } = event;
  return `, ${escapeLiteral(stream)}, ${revision}, ${escapeLiteral(id)}, ${position}`;
}

/** A text of numbers and words of ours, so that it goes out in one message with the rows that follow it. */
function updatePayments(changed: readonly PaymentChange[]): string {
  const numbers = (of: (change: PaymentChange) => string | number | null) => {
    const values = changed.map(of).map((value) => (value === null ? 'null' : BigInt(value)));
    return `'{${values.join()}}'`;
  };
  return `update payments p set status = c.status, target_user_id = c.target_user_id, completed_us = c.completed_us,
      refund_id = c.refund_id, revision = c.revision
    from unnest(${numbers(({ shown }) => shown.id)}::bigint[],
      '{${changed.map(({ shown }) => shown.status).join()}}'::text[],
      ${numbers(({ shown }) => shown.targetUserId)}::bigint[],
      ${numbers(({ shown }) => shown.completedAtUs)}::bigint[],
      ${numbers(({ shown }) => shown.refundId)}::bigint[],
      ${numbers(({ revision }) => revision)}::int[]) as c(id, status, target_user_id, completed_us, refund_id, revision)
    where p.id = c.id and p.revision < c.revision`;
}

/** A text of numbers, for the same reason. */
function dropWork(paymentIds: readonly string[]): string {
  return `delete from open_work where payment_id in (${paymentIds.map(BigInt).join()})`;
}
