import type { StoredEvent } from '@settle/event-store';
import { LEDGER_PREFIXES, readLedgerEvent } from '../../storage/streams.js';
import { EarlierFunding } from '../funding/earlier-funding.js';
import { earlierFundingRefs } from '../funding/funding-fold.js';
import { FUNDING } from '../funding/funding.table.js';
import { PAYOUT_ENTRIES } from '../funding/payout-entries.table.js';
import { FEE_ENTRIES, LEDGER_ENTRIES } from '../ledger-entries/ledger-entries.table.js';
import { OPEN_WORK } from '../open-work/open-work.table.js';
import { hasReplacedText } from '../payments/payment-row.js';
import { PAYMENTS } from '../payments/payments.table.js';
import type { BatchChanges, BatchProjector, LedgerProjection, ProjectorDependencies } from '../projection.js';
import { BatchFold, earlierPaymentIds } from './batch-fold.js';
import { EarlierPayments } from './earlier-payments.js';
import { changedKeysOf } from './changed-keys-of.js';
import { batchOf, type LedgerBatch } from './ledger-table.js';

const TABLES = [PAYMENTS, LEDGER_ENTRIES, FEE_ENTRIES, PAYOUT_ENTRIES, OPEN_WORK, FUNDING];

/** They read each other's rows and are shown together, so they have one transaction and one checkpoint. */
export const LEDGER_PROJECTION: LedgerProjection = {
  kind: 'ledger',
  name: 'ledger',
  version: 1,
  // Their migrations are older than this list: see `storage/migrations`.
  readModels: [
    { name: 'payments', tables: [PAYMENTS.table], migrations: [] },
    { name: 'ledger-entries', tables: [LEDGER_ENTRIES.table, FEE_ENTRIES.table, PAYOUT_ENTRIES.table], migrations: [] },
    { name: 'open-work', tables: [OPEN_WORK.table], migrations: [] },
    { name: 'funding', tables: [FUNDING.table], migrations: [] },
  ],
  tables: TABLES,
  streamPrefixes: LEDGER_PREFIXES,
  createProjector: (dependencies) => new LedgerProjector(dependencies),
};

class LedgerProjector implements BatchProjector {
  readonly #earlier: EarlierPayments;
  readonly #earlierFunding: EarlierFunding;
  /** The newest batch, which is not written yet. */
  #newest: { readonly fold: BatchFold; readonly batch: LedgerBatch } | null = null;

  constructor(private readonly dependencies: ProjectorDependencies) {
    this.#earlier = new EarlierPayments(dependencies.store, dependencies.pool);
    this.#earlierFunding = new EarlierFunding(dependencies.store, dependencies.pool);
  }

  async project(events: readonly StoredEvent[]): Promise<BatchChanges> {
    const facts = events.map(readLedgerEvent);
    const earlier = earlierPaymentIds(facts);
    const known = earlier.length === 0 ? [] : await this.#earlier.loadBefore(earlier, events[0]?.position ?? 0);
    const funding = await this.#earlierFunding.loadBefore(earlierFundingRefs(facts), events[0]?.position ?? 0);
    const fold = new BatchFold(known, funding);
    for (const fact of facts) fold.add(fact);
    const batch = batchOf(fold, this.dependencies.clock.nowUs());
    this.#newest = { fold, batch };
    return {
      statements: TABLES.flatMap((each) => each.statementsOf?.(batch) ?? []),
      inserts: TABLES.map((each) => ({ table: each.table, sources: each.sourcesOf(batch) })),
    };
  }

  recordWritten(): void {
    if (this.#newest === null) return;
    const { fold, batch } = this.#newest;
    this.dependencies.changes?.record(changedKeysOf(batch));
    const open = new Set(batch.payments.flatMap(({ work }) => work?.paymentId ?? []));
    this.#earlier.recordWritten(fold.payments.values(), (paymentId) => open.has(paymentId));
    this.#reportReplaced(batch);
  }

  reset(): void {
    this.#earlier.clear();
  }

  #reportReplaced({ payments }: LedgerBatch): void {
    const replaced = payments.filter(({ touched, row }) => touched.isNew && hasReplacedText(touched.payment, row));
    if (replaced.length === 0) return;
    const { logger, onReplaced } = this.dependencies;
    onReplaced(replaced.length);
    logger.warn(
      { paymentIds: replaced.map(({ row }) => row.id) },
      'texts of payments have characters that the read models cannot store; replaced by U+FFFD',
    );
  }
}
