import { CopyRows, runCopyScript } from '@settle/postgres';
import type { StoredEvent } from '@settle/event-store';
import { escapeLiteral, type Pool } from 'pg';
import { CheckpointConnection } from './checkpoint-connection.js';
import { PROJECTION } from './checkpoints.js';
import { appIdIn, sourceIdIn, type FeeLine, type WalletLine } from './batch-fold.js';
import type { OpenWork } from '../read-models/open-work/open-work.js';
import { addressKeyOf, type PaymentRow } from '../read-models/payments/payment-row.js';

const COPY_PAYMENTS = `copy payments (id, status, mode, action, amount_cents, fee_cents, audience, medium, actor_id,
  target_type, target_user_id, target_address, target_key, created_us, completed_us, refund_id, refund_of, revision, note,
  app_id)
  from stdin (format binary)`;
const COPY_LINES = `copy ledger_entries (wallet_id, revision, payment_id, event_type, debit_account, credit_account,
  amount_cents, balance_cents, attempt, source_id, app_id) from stdin (format binary)`;
const COPY_FEES = `copy fee_entries (payment_id, debit_account, credit_account, amount_cents) from stdin (format binary)`;
const COPY_WORK = `copy open_work (payment_id, act, owner_id, since_us) from stdin (format binary)`;

export interface PaymentChange {
  readonly row: PaymentRow;
  /** App that created it, in storable form. */
  readonly appId: string;
  readonly revision: number;
}

/** Changes of the read models by one batch of events. */
export interface ReadModelChanges {
  readonly created: readonly PaymentChange[];
  /** Payments that exist before the batch and are changed by it. */
  readonly changed: readonly PaymentChange[];
  /** Ids of all payments of the batch that exist before it. */
  readonly earlierIds: readonly string[];
  readonly walletLines: readonly WalletLine[];
  readonly feeLines: readonly FeeLine[];
  /** Open work of the batch's payments; it replaces the work of those in `earlierIds`. */
  readonly work: readonly OpenWork[];
}

export interface ReadModelWriterOptions {
  readonly pool: Pool;
  /** Fencing token of the lease under which it writes. */
  readonly fence: number;
  /** Channel that notifies other instances of the new position; null if there are none. */
  readonly progressChannel: string | null;
}

/**
 * Writes the rows of every read model and the checkpoint in one transaction, sent as one message: a process that freezes
 * between two messages would keep the checkpoint's row locked.
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
   * Claims the checkpoint and returns its position, which includes everything that earlier holders have written. Null if a
   * holder with a larger fence has claimed it.
   */
  claimCheckpoint(): Promise<number | null> {
    return this.#connection.claim();
  }

  /**
   * Writes one batch. Error, with nothing written: the checkpoint is not at `from`, or another holder has claimed it.
   * @param last newest event of the batch, which is stored with the checkpoint; null if the batch has none
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

  /** Releases the connection. */
  close(): void {
    this.#connection.close();
  }

  /**
   * First in every transaction: the lock on the checkpoint's row excludes other writers. The commit need not wait for the
   * disk, because rows that are lost together with the checkpoint are projected again.
   */
  #move(from: number, to: number, last: StoredEvent | null): string {
    const { fence, progressChannel } = this.options;
    const statements = [
      'set local synchronous_commit = off',
      `select move_checkpoint('${PROJECTION}', ${from}, ${to}, ${fence}${eventArguments(last)})`,
    ];
    if (progressChannel !== null) statements.push(`notify ${progressChannel}, '${to}'`);
    return statements.join('; ');
  }

  #copies(changes: ReadModelChanges): [string[], Buffer[]] {
    for (const change of changes.created) this.#payment(change);
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

  #payment({ row, appId, revision }: PaymentChange): void {
    const { targetType, targetAddress } = row;
    const copy = this.#payments;
    copy.row(20);
    copy.int8(row.id);
    copy.text(row.status);
    copy.text(row.mode);
    copy.text(row.action);
    copy.int8(row.amountCents);
    copy.int8(row.feeCents);
    copy.text(row.audience);
    copy.text(row.medium);
    copy.int8(row.actorId);
    copy.text(targetType);
    copy.int8(row.targetUserId);
    copy.text(targetAddress);
    copy.text(addressKeyOf(row));
    copy.int8(row.createdAtUs);
    copy.int8(row.completedAtUs);
    copy.int8(row.refundId);
    copy.int8(row.refundOf);
    copy.int4(revision);
    copy.text(row.note);
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

/** Returns the event as further arguments of `move_checkpoint`. */
function eventArguments(event: StoredEvent | null): string {
  if (event === null) return '';
  const { stream, revision, id, position } = event;
  return `, ${escapeLiteral(stream)}, ${revision}, ${escapeLiteral(id)}, ${position}`;
}

/** A statement without parameters, so that it is sent in one message with the rows. All values are numbers or fixed words. */
function updatePayments(changed: readonly PaymentChange[]): string {
  const numbers = (of: (change: PaymentChange) => string | number | null) => {
    const values = changed.map(of).map((value) => (value === null ? 'null' : BigInt(value)));
    return `'{${values.join()}}'`;
  };
  return `update payments p set status = c.status, target_user_id = c.target_user_id, completed_us = c.completed_us,
      refund_id = c.refund_id, revision = c.revision
    from unnest(${numbers(({ row }) => row.id)}::bigint[],
      '{${changed.map(({ row }) => row.status).join()}}'::text[],
      ${numbers(({ row }) => row.targetUserId)}::bigint[],
      ${numbers(({ row }) => row.completedAtUs)}::bigint[],
      ${numbers(({ row }) => row.refundId)}::bigint[],
      ${numbers(({ revision }) => revision)}::int[]) as c(id, status, target_user_id, completed_us, refund_id, revision)
    where p.id = c.id and p.revision < c.revision`;
}

/** Without parameters for the same reason. All values are numbers. */
function dropWork(paymentIds: readonly string[]): string {
  return `delete from open_work where payment_id in (${paymentIds.map(BigInt).join()})`;
}
