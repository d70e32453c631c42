import { LIMITS } from '@settle/config';
import type { ClientBase } from 'pg';
import type { Table } from '../read-models/table.js';

/** One of two tables, read over a connection with a snapshot. */
export interface ComparedSide {
  readonly client: ClientBase;
  readonly schema: string;
}

/** Counts and sums of one side. */
export interface TableSums {
  rows: number;
  /** Sums by column. */
  readonly cents: Record<string, number>;
}

export interface TableComparison {
  readonly table: string;
  readonly live: TableSums;
  readonly rebuilt: TableSums;
  /** Number of rows that exist on one side only, or that differ. */
  differences: number;
  /**
   * First difference: the row's key and the names of columns, without values, which may be private; null if all rows
   * are equal.
   */
  first: string | null;
}

/** The values of `reproducibleColumns`, the key first. */
type Row = readonly unknown[];

export interface ComparedTables {
  readonly live: ComparedSide;
  readonly rebuilt: ComparedSide;
  /** Runs a part of the comparison while both sides are read at one log position. */
  readonly atOneMoment: <Result>(part: () => Promise<Result>) => Promise<Result>;
  /**
   * Longest duration of a part, in ms. Shorter parts keep fewer dead rows alive; each part compares at least one row.
   */
  readonly partMs: number;
}

/**
 * Reads both tables in key order, a bounded number of rows at a time, and compares each row with its counterpart. Each
 * part of the key range is read in a new snapshot.
 */
export async function compareTables(
  table: Table,
  { live, rebuilt, atOneMoment, partMs }: ComparedTables,
): Promise<TableComparison> {
  const result = { table: table.name, live: noSums(table), rebuilt: noSums(table), differences: 0, first: null };
  let comparedKey: Row | null = null;
  /** Compares at least one row, and more until the time is up. Returns whether there are no more. */
  const comparePart = async () => {
    const endMs = performance.now() + partMs;
    const [left, right] = [sortedRows(table, live, comparedKey), sortedRows(table, rebuilt, comparedKey)];
    let [mine, theirs] = [await nextOf(left), await nextOf(right)];
    while (mine !== null || theirs !== null) {
      const order = compareKeys(mine, theirs, table);
      comparedKey = keyOf((order <= 0 ? mine : theirs) ?? [], table);
      compareRows(result, table, order <= 0 ? mine : null, order >= 0 ? theirs : null);
      if (performance.now() >= endMs) return false;
      if (order <= 0) mine = await nextOf(left);
      if (order >= 0) theirs = await nextOf(right);
    }
    return true;
  };
  while (!(await atOneMoment(comparePart)));
  return result;
}

/** Compares rows with the same key; null if that side has none. */
function compareRows(result: TableComparison, table: Table, mine: Row | null, theirs: Row | null): void {
  const { name, reproducibleColumns: columns } = table;
  if (mine !== null) addRow(result.live, mine, columns);
  if (theirs !== null) addRow(result.rebuilt, theirs, columns);
  const unequal = columns.filter((_, index) => String(mine?.[index]) !== String(theirs?.[index]));
  if (mine !== null && theirs !== null && unequal.length === 0) return;
  let problem = `differs in ${unequal.join(', ')}`;
  if (mine === null) problem = 'missing in the live table';
  if (theirs === null) problem = 'not from an event';
  result.differences += 1;
  result.first ??= `${name} ${keyOf(mine ?? theirs ?? [], table).join(':')}: ${problem}`;
}

const isCents = (column: string): boolean => column.endsWith('_cents');

function noSums({ reproducibleColumns }: Table): TableSums {
  return { rows: 0, cents: Object.fromEntries(reproducibleColumns.filter(isCents).map((column) => [column, 0])) };
}

function addRow(sums: TableSums, row: Row, columns: readonly string[]): void {
  sums.rows += 1;
  for (const [index, column] of columns.entries()) {
    if (isCents(column)) sums.cents[column] = (sums.cents[column] ?? 0) + Number(row[index]);
  }
}

function keyOf(row: Row, { key }: Table): Row {
  return row.slice(0, Object.keys(key).length);
}

/** Below 0 if the left row comes first or there is no right one. Texts are compared by bytes: they are ASCII words. */
function compareKeys(left: Row | null, right: Row | null, { key }: Table): number {
  if (left === null) return 1;
  if (right === null) return -1;
  for (const [index, type] of Object.values(key).entries()) {
    const [mine, theirs] = [String(left[index]), String(right[index])];
    if (mine === theirs) continue;
    const isBelow = type === 'text' ? mine < theirs : BigInt(mine) < BigInt(theirs);
    return isBelow ? -1 : 1;
  }
  return 0;
}

async function nextOf(rows: AsyncIterator<Row, undefined>): Promise<Row | null> {
  return (await rows.next()).value ?? null;
}

/**
 * Reads a table's rows in key order, a bounded number at a time.
 * @param after key after which to read; null to read from the first row
 */
async function* sortedRows(
  table: Table,
  { client, schema }: ComparedSide,
  after: Row | null,
): AsyncGenerator<Row, undefined> {
  const { name, key, reproducibleColumns } = table;
  const types = Object.entries(key);
  const sorted = types.map(([column, type]) => (type === 'text' ? `${column} collate "C"` : column)).join(', ');
  const values = types.map(([, type], index) => `$${index + 1}::${type}`).join(', ');
  for (let last = after; ;) {
    const { rows } = await client.query<unknown[]>({
      text: `select ${reproducibleColumns.join(', ')} from ${schema}.${name}
        ${last === null ? '' : `where (${sorted}) > (${values})`}
        order by ${sorted} limit ${LIMITS.operators.rowsPerFetch}`,
      values: last === null ? [] : [...last],
      rowMode: 'array',
    });
    yield* rows;
    const final = rows.at(-1);
    if (final === undefined) return undefined;
    last = keyOf(final, table);
  }
}
