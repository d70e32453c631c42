import { readPaymentChanges, type PaymentChange } from '../storage/payment-changes.js';
import { PAYMENT_PREFIXES } from '../storage/streams.js';
import type { ReadModel, SumsProjection } from './projection.js';
import { Table, type ColumnType } from './table.js';

/** A row by column: the key, and what is added to the sums. */
export type SumRow<Column extends string = string> = Readonly<Record<Column, string | number>>;

export interface SumsDescription<Column extends string> {
  /** Name of the read model and of its checkpoint. */
  readonly name: string;
  readonly version: number;
  readonly table: string;
  readonly columns: Readonly<Record<Column, ColumnType>>;
  /** Columns that are unique together, first a number. The others are sums of integers. */
  readonly key: readonly Column[];
  readonly migrations: ReadModel['migrations'];
  /** Returns what a change of a payment adds. Pure. */
  readonly addedBy: (change: PaymentChange) => readonly SumRow<Column>[];
}

/** Builds the projection of a read model of sums. A batch adds to each row once, however many payments change it. */
export function sumsProjection<Column extends string>(description: SumsDescription<Column>): SumsProjection {
  const { name, version, key, migrations, addedBy } = description;
  const columns = Object.entries<ColumnType>(description.columns).map(
    ([column, type]) => [column, [type, (row: SumRow) => row[column] ?? null]] as const,
  );
  const table = new Table<SumRow>({ name: description.table, key, columns: Object.fromEntries(columns) });
  const sumsOf = (changes: readonly PaymentChange[]) => {
    const sums = new Map<string, SumRow>();
    addSums(sums, changes.flatMap(addedBy), key);
    return [...sums.values()];
  };
  return {
    kind: 'sums',
    name,
    version,
    readModels: [{ name, tables: [table], migrations }],
    table,
    sumsOf,
    streamPrefixes: PAYMENT_PREFIXES,
    createProjector: ({ store }) => ({
      async project(events) {
        const sums = sumsOf((await readPaymentChanges(store, events)).flat());
        return { statements: sums.length === 0 ? [] : [table.addStatement(sums)], inserts: [] };
      },
    }),
  };
}

/** Adds rows to the sums of their key. @param sums rows by key, of which the columns are joined with colons */
export function addSums(sums: Map<string, SumRow>, rows: readonly SumRow[], key: readonly string[]): void {
  for (const row of rows) {
    const id = key.map((column) => row[column]).join(':');
    const sum = { ...(sums.get(id) ?? {}) };
    for (const [column, value] of Object.entries(row)) {
      sum[column] = key.includes(column) ? value : Number(sum[column] ?? 0) + Number(value);
    }
    sums.set(id, sum);
  }
}
