import { LIMITS } from '@settle/config';
import pg, { type ClientBase } from 'pg';
import type { ReadModelTable } from '../projection/read-models.js';

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
  table: ReadModelTable,
  { live, rebuilt, atOneMoment, partMs }: ComparedTables,
): Promise<TableComparison> {
  const columns = await columnsOf(table, live);
  const comparison = new Comparison(table, columns);
  let isOver = false;
  while (!isOver) {
    isOver = await atOneMoment(() => {
      const after = comparison.comparedKey;
      const sides = [
        new SortedRows(table, { ...live, columns, after }),
        new SortedRows(table, { ...rebuilt, columns, after }),
      ] as const;
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

  constructor(
    private readonly table: ReadModelTable,
    private readonly columns: readonly string[],
  ) {
    this.#live = new Sums(columns);
    this.#rebuilt = new Sums(columns);
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
    const unequal = this.columns.filter((_, index) => String(mine[index]) !== String(theirs[index]));
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

/** Columns, the key first. */
async function columnsOf(
  { name, key, unreproducibleColumns }: ReadModelTable,
  { client, schema }: ComparedSide,
): Promise<string[]> {
  const { rows } = await client.query<{ column: string }>(
    `select attname as column from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped
      order by attnum`,
    [`${schema}.${name}`],
  );
  const keys = Object.keys(key);
  const others = rows.map(({ column }) => column).filter((column) => !keys.includes(column));
  return [...keys, ...others.filter((column) => !unreproducibleColumns.includes(column))];
}

function keyOf(row: Row, { key }: ReadModelTable): Row {
  return row.slice(0, Object.keys(key).length);
}

/** Below 0 if the left row comes first or there is no right one. Texts are compared by bytes: they are ASCII words. */
function compareKeys(left: Row | null, right: Row | null, { key }: ReadModelTable): number {
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

interface SortedSide extends ComparedSide {
  readonly columns: readonly string[];
  /** Key after which to read; null to read from the first row. */
  readonly after: Row | null;
}

/** Iterates over a table's rows with a cursor, which stays open until the transaction ends. */
class SortedRows {
  readonly #cursor: string;
  #page: Row[] = [];
  #at = 0;
  #isOpen = false;

  constructor(
    private readonly table: ReadModelTable,
    private readonly side: SortedSide,
  ) {
    this.#cursor = `of_${table.name}`;
  }

  async next(): Promise<Row | null> {
    if (this.#at === this.#page.length) await this.#fetch();
    const row = this.#page[this.#at];
    if (row === undefined) return null;
    this.#at += 1;
    return row;
  }

  async #fetch(): Promise<void> {
    const { client } = this.side;
    if (!this.#isOpen) await client.query(this.#declaration());
    this.#isOpen = true;
    const { rows } = await client.query<unknown[]>({
      text: `fetch ${LIMITS.operators.rowsPerFetch} from ${this.#cursor}`,
      rowMode: 'array',
    });
    this.#page = rows;
    this.#at = 0;
  }

  #declaration(): string {
    const { schema, columns, after } = this.side;
    const { name, key } = this.table;
    const types = Object.entries(key);
    const sorted = types.map(([column, type]) => (type === 'text' ? `${column} collate "C"` : column)).join(', ');
    const values = after?.map((value, index) => `${pg.escapeLiteral(String(value))}::${types[index]?.[1]}`).join(', ');
    const behind = values === undefined ? '' : `where (${sorted}) > (${values})`;
    return `declare ${this.#cursor} no scroll cursor for
      select ${columns.join(', ')} from ${schema}.${name} ${behind} order by ${sorted}`;
  }
}
