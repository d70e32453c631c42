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
  readonly rows: number;
  /** Sums by column. */
  readonly cents: Readonly<Record<string, number>>;
}

export interface TableComparison {
  readonly table: string;
  readonly live: TableSums;
  readonly rebuilt: TableSums;
  /** Number of rows that exist on one side only, or that differ. */
  readonly differences: number;
  /**
   * First difference: the row's key and the names of columns, without values, which may be private; null if all rows
   * are equal.
   */
  readonly first: string | null;
}

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
  const comparison = new Comparison(table);
  let isOver = false;
  while (!isOver) {
    isOver = await atOneMoment(() => {
      const after = comparison.comparedKey;
      const sides = [new SortedRows(table, live, after), new SortedRows(table, rebuilt, after)] as const;
      return comparison.goOn(sides, partMs);
    });
  }
  return comparison.result();
}

class Comparison {
  /** Key of the last compared row; null before the first. */
  comparedKey: Row | null = null;
  readonly #live: Sums;
  readonly #rebuilt: Sums;
  #differences = 0;
  #first: string | null = null;

  constructor(private readonly table: Table) {
    this.#live = new Sums(table.reproducibleColumns);
    this.#rebuilt = new Sums(table.reproducibleColumns);
  }

  /** Compares at least one row, and more until the time is up. Returns whether there are no more. */
  async goOn([left, right]: readonly [SortedRows, SortedRows], partMs: number): Promise<boolean> {
    const endMs = performance.now() + partMs;
    let [mine, theirs] = [await left.next(), await right.next()];
    while (mine !== null || theirs !== null) {
      const order = compareKeys(mine, theirs, this.table);
      this.#compare(order <= 0 ? mine : null, order >= 0 ? theirs : null);
      if (performance.now() >= endMs) return false;
      if (order <= 0) mine = await left.next();
      if (order >= 0) theirs = await right.next();
    }
    return true;
  }

  result(): TableComparison {
    const { name: table } = this.table;
    const [live, rebuilt] = [this.#live.sums(), this.#rebuilt.sums()];
    return { table, live, rebuilt, differences: this.#differences, first: this.#first };
  }

  /** Rows with the same key; null if that side has none. */
  #compare(mine: Row | null, theirs: Row | null): void {
    this.comparedKey = keyOf(mine ?? theirs ?? [], this.table);
    if (mine !== null) this.#live.add(mine);
    if (theirs !== null) this.#rebuilt.add(theirs);
    if (theirs === null) return this.#note('not from an event');
    if (mine === null) return this.#note('missing in the live table');
    const unequal = this.table.reproducibleColumns.filter((_, index) => String(mine[index]) !== String(theirs[index]));
    if (unequal.length > 0) this.#note(`differs in ${unequal.join(', ')}`);
  }

  #note(problem: string): void {
    this.#differences += 1;
    this.#first ??= `${this.table.name} ${this.comparedKey?.join(':')}: ${problem}`;
  }
}

class Sums {
  readonly #cents: Map<string, number>;
  #rows = 0;

  constructor(private readonly columns: readonly string[]) {
    this.#cents = new Map(columns.filter((column) => column.endsWith('_cents')).map((column) => [column, 0]));
  }

  add(row: Row): void {
    this.#rows += 1;
    for (const [column, cents] of this.#cents) {
      this.#cents.set(column, cents + Number(row[this.columns.indexOf(column)]));
    }
  }

  sums(): TableSums {
    return { rows: this.#rows, cents: Object.fromEntries(this.#cents) };
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

/** Iterates over a table's rows in key order, a bounded number at a time. */
class SortedRows {
  #page: readonly Row[] = [];
  #next = 0;

  /** @param after key after which to read; null to read from the first row */
  constructor(
    private readonly table: Table,
    private readonly side: ComparedSide,
    private after: Row | null,
  ) {}

  async next(): Promise<Row | null> {
    if (this.#next === this.#page.length) await this.#readPage();
    const row = this.#page[this.#next];
    if (row === undefined) return null;
    this.#next += 1;
    this.after = keyOf(row, this.table);
    return row;
  }

  async #readPage(): Promise<void> {
    const { name, key, reproducibleColumns } = this.table;
    const types = Object.entries(key);
    const sorted = types.map(([column, type]) => (type === 'text' ? `${column} collate "C"` : column)).join(', ');
    const values = types.map(([, type], index) => `$${index + 1}::${type}`).join(', ');
    const { rows } = await this.side.client.query<unknown[]>({
      text: `select ${reproducibleColumns.join(', ')} from ${this.side.schema}.${name}
        ${this.after === null ? '' : `where (${sorted}) > (${values})`}
        order by ${sorted} limit ${LIMITS.operators.rowsPerFetch}`,
      values: this.after === null ? [] : [...this.after],
      rowMode: 'array',
    });
    this.#page = rows;
    this.#next = 0;
  }
}
