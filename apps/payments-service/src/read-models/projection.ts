import type { ChangeTracker } from '@settle/concurrency';
import type { EventStore, StoredEvent } from '@settle/event-store';
import type { Logger } from '@settle/observability';
import type { Pool } from 'pg';
import type { MigrationInterface } from 'typeorm';
import type { Clock } from '../storage/clock.js';
import type { PaymentChange } from '../storage/payment-changes.js';
import type { LedgerTable } from './ledger/ledger-table.js';
import type { SumRow } from './sums-projection.js';
import type { Table } from './table.js';

/** Tables that are computed from the events, under the name by which operators rebuild them. */
export interface ReadModel {
  readonly name: string;
  readonly tables: readonly Table[];
  /** They create and change its tables in the schema of each environment. */
  readonly migrations: readonly (new () => MigrationInterface)[];
}

/** The changes of a batch of events in the tables of a projection. */
export interface BatchChanges {
  /** Statements without parameters, which run before the rows are inserted. */
  readonly statements: readonly string[];
  readonly inserts: readonly { readonly table: Table; readonly sources: readonly unknown[] }[];
}

export interface ProjectorDependencies {
  readonly store: Pick<EventStore, 'readStream'>;
  readonly pool: Pool;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Called with the number of payments whose texts were stored with replaced characters. */
  readonly onReplaced: (payments: number) => void;
  /** Records the written changes of what responses show. Absent: no response is kept. */
  readonly changes?: ChangeTracker | undefined;
}

/** Computes changes, batch by batch. */
export interface BatchProjector {
  /** Returns what a batch changes. Errors: the store's and the database's. */
  project(events: readonly StoredEvent[]): Promise<BatchChanges>;
  /** Called when the changes of the newest batch are written. */
  recordWritten?(): void;
  /** Called when they are not: the next batch may start elsewhere. */
  reset?(): void;
}

/** Read models that are written together: in one transaction, with one checkpoint. */
interface ProjectionBase {
  /** Name of the checkpoint. */
  readonly name: string;
  /** To be raised when equal events lead to other rows than before. */
  readonly version: number;
  readonly readModels: readonly ReadModel[];
  readonly streamPrefixes: readonly string[];
  createProjector(dependencies: ProjectorDependencies): BatchProjector;
}

/**
 * The read models from which requests are answered. Responses wait until they show what a command has stored. After a
 * change of the version an operator rebuilds them; meanwhile they serve as they are.
 */
export interface LedgerProjection extends ProjectionBase {
  readonly kind: 'ledger';
  readonly tables: readonly LedgerTable[];
}

/**
 * Sums over payments, for which no response waits. After a change of the version, and where there is no checkpoint yet,
 * they are computed again from the first event beside the other projections, while these go on.
 */
export interface SumsProjection extends ProjectionBase {
  readonly kind: 'sums';
  readonly table: Table<SumRow>;
  /** Returns what changes of payments add: one row for each key. */
  sumsOf(changes: readonly PaymentChange[]): readonly SumRow[];
}

export type Projection = LedgerProjection | SumsProjection;
