import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSettings } from '@settle/config';
import { NO_STREAM, PostgresEventStore } from '@settle/event-store';
import type { WalletEvent } from '@settle/payments-domain';
import { createPool, migrateSchema } from '@settle/postgres';
import { freshDatabase, type FreshDatabase } from '@settle/testing';
import type { Pool } from 'pg';
import { reconcile } from '../../src/operators/reconcile/reconcile.js';
import { PAYMENTS_SCHEMA } from '../../src/payments-schema.js';
import { Clock } from '../../src/storage/clock.js';
import { newFundingEvent, newWalletEvent } from '../../src/storage/step-ids.js';
import { fundingStream, walletStream, type FundingEvent } from '../../src/storage/streams.js';

export const FROM_US = Date.UTC(2026, 0, 1) * 1_000;
export const HOUR_US = 3_600_000_000;
export const TO_US = FROM_US + 24 * HOUR_US;
/** In the middle of the period. */
export const NOON_US = FROM_US + 12 * HOUR_US;
export const WALLET = '123456789012345678';

export const timeOf = (us: number): string => new Date(us / 1_000).toISOString();

/** A row of a statement: key, kind and cents, with what differs. */
export type Row = readonly [
  key: string,
  kind: string,
  cents: number,
  change?: { readonly state?: string; readonly atUs?: number; readonly id?: string },
];

const STATES: Readonly<Record<string, string>> = {
  charge: 'approved',
  repayment: 'paid',
  payout: 'paid',
  payout_return: 'returned',
  reversal: 'open',
  reversal_won: 'won',
};
const COMES_IN = ['charge', 'payout_return', 'reversal_won'];
const NOT_BOOKED = ['pending', 'action_required', 'declined', 'failed', 'cancelled'];

/** Returns the text of a statement whose sums add up. */
export function statementOf(rows: readonly Row[], closingCents?: number): string {
  const moved = rows.map(([, kind, cents, { state = '' } = {}]) =>
    NOT_BOOKED.includes(state) ? 0 : COMES_IN.includes(kind) ? cents : -cents,
  );
  const closing = closingCents ?? moved.reduce((sum, cents) => sum + cents, 0);
  const head = ['bank-one', 'USD', timeOf(FROM_US), timeOf(TO_US), 0, closing].join(',');
  const lines = rows.map(
    ([key, kind, cents, { state = STATES[kind] ?? 'booked', atUs = NOON_US, id = `id-${key}` } = {}]) =>
      [key, id, kind, cents, state, timeOf(atUs)].join(','),
  );
  return [head, ...lines, ''].join('\n');
}

/** A ledger of events alone, and a folder with statements. */
export class ReconcileLab {
  #revision = NO_STREAM;

  private constructor(
    readonly database: FreshDatabase,
    readonly migrationsUrl: string,
    readonly store: PostgresEventStore,
    private readonly pool: Pool,
    readonly folder: string,
  ) {}

  static async open(): Promise<ReconcileLab> {
    const database = await freshDatabase();
    const migrationsUrl = await database.separateMigrations();
    await migrateSchema(PAYMENTS_SCHEMA, migrationsUrl);
    const store = await PostgresEventStore.open({ url: database.url });
    const pool = createPool(database.url, { max: 1, name: 'spec' });
    return new ReconcileLab(database, migrationsUrl, store, pool, await mkdtemp(join(tmpdir(), 'reconcile-')));
  }

  /** Adds events to one wallet. */
  async inWallet(...events: readonly WalletEvent[]): Promise<void> {
    const append = {
      stream: walletStream(WALLET),
      expectedRevision: this.#revision,
      events: events.map((event) => newWalletEvent(WALLET, event)),
    };
    await this.store.append([append]);
    this.#revision += events.length;
  }

  /** Money of a charge arrives in the wallet. */
  charge(chargeKey: string, amountCents: number, atUs = NOON_US): Promise<void> {
    const of = { paymentId: '111111111111111111', attempt: 1, sourceId: 's', balanceCents: 0, atUs };
    return this.inWallet({ type: 'FundsAdded', data: { ...of, chargeKey, amountCents } });
  }

  /** Begins the stream of a deposit or withdrawal. */
  async begin(...events: readonly FundingEvent[]): Promise<void> {
    const [first] = events;
    if (first === undefined) return;
    const stream = fundingStream(first.kind, first.id);
    await this.store.append([{ stream, expectedRevision: NO_STREAM, events: events.map(newFundingEvent) }]);
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  /** Reconciles a statement. Rejects as the command does. */
  async reconcile(text: string, report: string | null = null): Promise<{ code: number; said: string }> {
    const file = this.path('statement.csv');
    await writeFile(file, text);
    return this.reconcileFile(file, report);
  }

  async reconcileFile(file: string, report: string | null = null): Promise<{ code: number; said: string }> {
    const lines: string[] = [];
    const settings = { ...readSettings({ NODE_ENV: 'test' }), migrationsDatabaseUrl: this.migrationsUrl };
    const { store, pool } = this;
    const place = {
      settings,
      store,
      pool,
      clock: new Clock(),
      outcomeWaitMs: 0,
      say: (line: string) => lines.push(line),
    };
    const code = await reconcile(place, { type: 'reconcile', file, report });
    return { code, said: lines.join('\n') };
  }

  async close(): Promise<void> {
    await this.store.close();
    await this.pool.end();
    await this.database.drop();
    await rm(this.folder, { recursive: true });
  }
}
