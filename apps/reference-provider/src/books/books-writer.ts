import { randomUUID } from 'node:crypto';
import type { ProviderChange } from '@settle/provider-api';
import type { PoolClient } from 'pg';
import { readRow, type BookObject, type ObjectKind, type ObjectRow } from './book-object.js';

/** A step that follows later: a move to another state, if the object is still in `from`, or a reversal of a charge. */
export type ScheduledStep =
  | {
      readonly type: 'move';
      readonly from: string;
      readonly to: string;
      readonly code: BookObject['code'];
    }
  | { readonly type: 'reverse' };

export type BookingKind = 'charge' | 'repayment' | 'payout' | 'payout_return' | 'reversal' | 'reversal_won';

interface DueStep {
  readonly kind: ObjectKind;
  readonly key: string;
  readonly step: ScheduledStep;
}

interface WriterSettings {
  readonly laterMs: number;
  readonly hasCallbacks: boolean;
}

/** An object before its first version. */
export type NewObject = Omit<BookObject, 'version' | 'createdAt' | 'updatedAt'>;
type Changed = Partial<Pick<BookObject, 'state' | 'code' | 'actionExpiresAt' | 'source'>>;

const STEPS_AT_ONCE = 100;

/** Reads and writes the books in one transaction that has the lock on them. */
export class BooksWriter {
  /** @param at the time of everything that is written */
  constructor(
    private readonly client: PoolClient,
    readonly at: Date,
    readonly settings: WriterSettings,
  ) {}

  async find(kind: ObjectKind, key: string): Promise<BookObject | null> {
    const { rows } = await this.client.query<ObjectRow>('select * from objects where kind = $1 and key = $2', [
      kind,
      key,
    ]);
    return rows[0] === undefined ? null : readRow(rows[0]);
  }

  /** Returns the repayments and reversals of a charge. */
  async findOfCharge(chargeKey: string): Promise<BookObject[]> {
    const { rows } = await this.client.query<ObjectRow>('select * from objects where charge_key = $1', [chargeKey]);
    return rows.map(readRow);
  }

  /** Stores an object with its first version, and the change. */
  async insert(object: NewObject): Promise<BookObject> {
    const inserted: BookObject = { ...object, version: 1, createdAt: this.at, updatedAt: this.at };
    const { cardNumber, source } = object;
    await this.client.query(
      `insert into objects (kind, key, id, state, amount_cents, version, created_at, updated_at, code, action_expires_at,
         content, charge_key, details)
       values ($1, $2, $3, $4, $5, 1, $6, $6, $7, $8, $9, $10, $11)`,
      [
        ...[object.kind, object.key, object.id, object.state, object.amountCents, this.at, object.code],
        ...[object.actionExpiresAt, object.content, object.chargeKey, { cardNumber, source }],
      ],
    );
    await this.#addChange(inserted);
    return inserted;
  }

  /** Stores the next version of an object, and the change. */
  async update(object: BookObject, changed: Changed): Promise<BookObject> {
    const updated: BookObject = { ...object, ...changed, version: object.version + 1, updatedAt: this.at };
    const { kind, key, state, version, code, actionExpiresAt, cardNumber, source } = updated;
    await this.client.query(
      `update objects set state = $3, version = $4, updated_at = $5, code = $6, action_expires_at = $7, details = $8
       where kind = $1 and key = $2`,
      [kind, key, state, version, this.at, code, actionExpiresAt, { cardNumber, source }],
    );
    await this.#addChange(updated);
    return updated;
  }

  /** Books the amount of an object, which statements list from then on. A reversal is listed under its charge's key. */
  async book(kind: BookingKind, object: BookObject): Promise<void> {
    const key = object.kind === 'reversal' ? object.chargeKey : object.key;
    await this.client.query(
      'insert into bookings (kind, key, object_id, cents, state, booked_at) values ($1, $2, $3, $4, $5, $6)',
      [kind, key, object.id, object.amountCents, object.state, this.at],
    );
  }

  /** @param dueAt by default the time of what follows later */
  async schedule(
    { kind, key }: BookObject,
    step: ScheduledStep,
    dueAt = new Date(this.at.getTime() + this.settings.laterMs),
  ): Promise<void> {
    await this.client.query('insert into scheduled_steps (kind, key, step, due_at) values ($1, $2, $3, $4)', [
      ...[kind, key, step, dueAt],
    ]);
  }

  /** Removes the steps that are due, at most 100, and returns them in their order. */
  async takeDueSteps(): Promise<readonly DueStep[]> {
    const { rows } = await this.client.query<DueStep & { readonly number: string }>(
      'select number, kind, key, step from scheduled_steps where due_at <= $1 order by due_at, number limit $2',
      [this.at, STEPS_AT_ONCE],
    );
    await this.client.query('delete from scheduled_steps where number = any($1)', [rows.map(({ number }) => number)]);
    return rows;
  }

  /** Returns whether a request for the key came too late once: it never begins. */
  async isRefused(kind: ObjectKind, key: string): Promise<boolean> {
    const { rows } = await this.client.query('select from refused_keys where kind = $1 and key = $2', [kind, key]);
    return rows.length > 0;
  }

  async refuse(kind: ObjectKind, key: string): Promise<void> {
    await this.client.query('insert into refused_keys (kind, key, refused_at) values ($1, $2, $3)', [
      ...[kind, key, this.at],
    ]);
  }

  async fingerprintKey(): Promise<string> {
    const { rows } = await this.client.query<{ fingerprint_key: string }>('select fingerprint_key from books');
    return rows[0]?.fingerprint_key ?? '';
  }

  async #addChange({ kind, key, version }: BookObject): Promise<void> {
    await this.client.query(
      `with next as (update books set last_cursor = last_cursor + 1 returning last_cursor)
       insert into changes (cursor, kind, key, version, changed_at) select last_cursor, $1::text, $2::text, $3::integer, $4::timestamptz from next`,
      [kind, key, version, this.at],
    );
    if (!this.settings.hasCallbacks) return;
    const body: ProviderChange = { kind, key, version, changed_at: this.at.toISOString() };
    await this.client.query('insert into callbacks (id, body, created_at, due_at) values ($1, $2, $3, $3)', [
      ...[randomUUID(), JSON.stringify(body), this.at],
    ]);
  }
}
