import { CopyRows, runCopyScript } from '@settle/postgres';
import type { Pool, PoolClient } from 'pg';
import type { FeeLine, WalletLine } from './batch-fold.js';
import type { OpenWork } from './open-work/open-work.js';
import { addressKeyOf, type ShownPayment } from './payments/shown-payment.js';

/** Names the projection's checkpoint and its lease. */
export const PROJECTION = 'ledger';

const COPY_PAYMENTS = `copy payments (id, status, mode, action, amount_cents, fee_cents, audience, medium, actor_id,
  target_type, target_user_id, target_address, target_key, created_us, completed_us, refund_id, refund_of, revision, note)
  from stdin (format binary)`;
const COPY_LINES = `copy ledger_entries (wallet_id, revision, payment_id, event_type, debit_account, credit_account,
  amount_cents, balance_cents, attempt, source_id) from stdin (format binary)`;
const COPY_FEES = `copy fee_entries (payment_id, debit_account, credit_account, amount_cents) from stdin (format binary)`;
const COPY_WORK = `copy open_work (payment_id, act, owner_id, since_us) from stdin (format binary)`;

const UPDATE_PAYMENTS = {
  name: 'update-payments',
  text: `
    update payments p set status = c.status, target_user_id = c.target_user_id, completed_us = c.completed_us,
      refund_id = c.refund_id, revision = c.revision
    from unnest($1::bigint[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::int[])
      as c(id, status, target_user_id, completed_us, refund_id, revision)
    where p.id = c.id and p.revision < c.revision`,
};
const CLAIM_CHECKPOINT = {
  name: 'claim-checkpoint',
  text: `
    insert into checkpoints as checkpoint (name, position, fence) values ($1, 0, $2)
    on conflict (name) do update set fence = excluded.fence where checkpoint.fence <= excluded.fence
    returning position`,
};

export interface PaymentChange {
  readonly shown: ShownPayment;
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

/** Writes the rows of every read model and the checkpoint in one transaction. */
export class ReadModelWriter {
  readonly #payments = new CopyRows();
  readonly #lines = new CopyRows();
  readonly #fees = new CopyRows();
  readonly #work = new CopyRows();

  constructor(private readonly options: ReadModelWriterOptions) {}

  /**
   * How far the read models have come. From now on nobody with a smaller fence can move the checkpoint, and nothing
   * that such a one still wrote is missing here. Null: somebody with a larger fence has been here.
   */
  async claimCheckpoint(): Promise<number | null> {
    const { pool, fence } = this.options;
    const { rows } = await pool.query<{ position: string }>({ ...CLAIM_CHECKPOINT, values: [PROJECTION, fence] });
    return rows[0] === undefined ? null : Number(rows[0].position);
  }

  /** Rejects, nothing being written, when the checkpoint is no longer at `from`, or another's. */
  async write(changes: ReadModelChanges, from: number, to: number): Promise<void> {
    // Before the rows: without a connection they would still be there when the same changes come again.
    const client = await this.options.pool.connect();
    try {
      const move = this.#move(from, to);
      const [statements, rows] = this.#copies(changes);
      if (changes.changed.length === 0) await runCopyScript(client, [move, ...statements].join('; '), rows);
      else await this.#writeWithUpdates(client, changes, { move, statements, rows });
      client.release();
    } catch (error) {
      client.release(true);
      throw error;
    } finally {
      for (const copy of [this.#payments, this.#lines, this.#fees, this.#work]) copy.clear();
    }
  }

  async #writeWithUpdates(
    client: PoolClient,
    { changed }: ReadModelChanges,
    { move, statements, rows }: { move: string; statements: string[]; rows: Buffer[] },
  ): Promise<void> {
    const ids = changed.map(({ shown }) => shown.id);
    await client.query(`begin; ${move}`);
    await client.query({
      ...UPDATE_PAYMENTS,
      values: [
        ids,
        changed.map(({ shown }) => shown.status),
        changed.map(({ shown }) => shown.targetUserId),
        changed.map(({ shown }) => shown.completedAtUs),
        changed.map(({ shown }) => shown.refundId),
        changed.map(({ revision }) => revision),
      ],
    });
    await runCopyScript(client, [...statements, 'commit'].join('; '), rows);
  }

  /**
   * First in every transaction: whoever holds the checkpoint's row is alone with the tables. Rows of projections may be
   * lost together with the checkpoint: they come again. So they need not wait for the disk.
   */
  #move(from: number, to: number): string {
    const { fence, tellsOthersOn } = this.options;
    const statements = [
      'set local synchronous_commit = off',
      `select move_checkpoint('${PROJECTION}', ${from}, ${to}, ${fence})`,
    ];
    if (tellsOthersOn !== null) statements.push(`notify ${tellsOthersOn}, '${to}'`);
    return statements.join('; ');
  }

  #copies(changes: ReadModelChanges): [string[], Buffer[]] {
    for (const { shown, revision } of changes.begun) this.#payment(shown, revision);
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
    const { earlierIds } = changes;
    const statements = earlierIds.length === 0 ? [] : [dropWork(earlierIds)];
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

  #payment(shown: ShownPayment, revision: number): void {
    const { targetType, targetAddress } = shown;
    const copy = this.#payments;
    copy.row(19);
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
  }

  #line({ walletId, revision, event, entry }: WalletLine): void {
    const copy = this.#lines;
    copy.row(10);
    copy.int8(walletId);
    copy.int4(revision);
    copy.int8(event.data.paymentId);
    copy.text(event.type);
    copy.text(entry.debitAccount);
    copy.text(entry.creditAccount);
    copy.int8(entry.amountCents);
    copy.int8(event.data.balanceCents);
    copy.int4('attempt' in event.data ? event.data.attempt : null);
    copy.text('sourceId' in event.data ? event.data.sourceId : null);
  }
}

/** A text with numbers in it, so that it goes out in one message with the rows that follow it. */
function dropWork(paymentIds: readonly string[]): string {
  return `delete from open_work where payment_id in (${paymentIds.map(BigInt).join()})`;
}
