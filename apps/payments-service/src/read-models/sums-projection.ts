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
  readonly key: readonly NoInfer<Column>[];
  readonly migrations: ReadModel['migrations'];
  /** Returns what a change of a payment adds. Pure. */
  readonly addedBy: (change: PaymentChange) => readonly SumRow<NoInfer<Column>>[];
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

/**
 * Adds rows with the same columns to the sums of their key, in place: it runs for each payment.
 * @param sums rows by key, of which the columns are joined with colons
 */
export function addSums(sums: Map<string, SumRow>, rows: readonly SumRow[], key: readonly string[]): void {
  const added = Object.keys(rows[0] ?? {}).filter((column) => !key.includes(column));
  for (const row of rows) {
    const id = key.map((column) => row[column]).join(':');
    const sum: Record<string, string | number> | undefined = sums.get(id);
    if (sum === undefined) sums.set(id, { ...row });
    else for (const column of added) sum[column] = Number(sum[column]) + Number(row[column]);
  }
}
