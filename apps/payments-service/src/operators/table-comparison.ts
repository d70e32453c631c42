import { LIMITS } from '@settle/config';
import type { ClientBase } from 'pg';
import type { ReadModelTable } from '../projections/read-models.js';

/** One of two tables, over a connection whose transaction reads it as of one moment. */
export interface ComparedSide {
  readonly client: ClientBase;
  readonly schema: string;
}

/** What was counted and added up on one side. */
export interface TableSums {
  readonly rows: number;
  /** By column. */
  readonly cents: Readonly<Record<string, number>>;
}

export interface TableComparison {
  readonly table: string;
  readonly live: TableSums;
  readonly rebuilt: TableSums;
  /** Rows that one side has alone, or that differ. */
  readonly differences: number;
  /** Names the row's key and columns, never other values, which may be private; null when all are equal. */
  readonly first: string | null;
}

type Row = readonly unknown[];

/** Reads both tables in the order of their key, some rows at a time, and holds every row against its other. */
export async function compareTables(
  table: ReadModelTable,
  live: ComparedSide,
  rebuilt: ComparedSide,
): Promise<TableComparison> {
  const columns = await columnsOf(table, live);
  const left = new SortedRows(table, live, columns);
  const right = new SortedRows(table, rebuilt, columns);
  let differences = 0;
  let first: string | null = null;
  const note = (row: Row, problem: string) => {
    differences += 1;
    first ??= `${table.name} ${keyOf(row, table).join(':')}: ${problem}`;
  };
  let [mine, theirs] = [await left.next(), await right.next()];
  while (mine !== null || theirs !== null) {
    const order = compareKeys(mine, theirs, table);
    if (order === 0 && mine !== null && theirs !== null) {
      const unequal = columns.filter((_, index) => String(mine?.[index]) !== String(theirs?.[index]));
      if (unequal.length > 0) note(mine, `differs in ${unequal.join(', ')}`);
    } else if (order < 0 && mine !== null) note(mine, 'not from an event');
    else if (theirs !== null) note(theirs, 'missing in the live table');
    if (order <= 0) mine = await left.next();
    if (order >= 0) theirs = await right.next();
  }
  return { table: table.name, live: left.sums(), rebuilt: right.sums(), differences, first };
}

/** The key first. */
async function columnsOf({ name, key, ownWord }: ReadModelTable, { client, schema }: ComparedSide): Promise<string[]> {
  const { rows } = await client.query<{ column: string }>(
    `select attname as column from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped
      order by attnum`,
    [`${schema}.${name}`],
  );
  const keys = Object.keys(key);
  const others = rows.map(({ column }) => column).filter((column) => !keys.includes(column));
  return [...keys, ...others.filter((column) => !ownWord.includes(column))];
}

function keyOf(row: Row, { key }: ReadModelTable): Row {
  return row.slice(0, Object.keys(key).length);
}

/** Below 0: the left row comes first, or there is no right one. Texts are in the order of their bytes: they are plain words. */
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

/** A table's rows, one by one; of a cursor that is left open until the transaction ends. */
class SortedRows {
  readonly #cursor: string;
  readonly #cents: Map<string, number>;
  #page: Row[] = [];
  #at = 0;
  #rows = 0;
  #isOpen = false;

  constructor(
    private readonly table: ReadModelTable,
    private readonly side: ComparedSide,
    private readonly columns: readonly string[],
  ) {
    this.#cursor = `of_${table.name}`;
    this.#cents = new Map(columns.filter((column) => column.endsWith('_cents')).map((column) => [column, 0]));
  }

  sums(): TableSums {
    return { rows: this.#rows, cents: Object.fromEntries(this.#cents) };
  }

  async next(): Promise<Row | null> {
    if (this.#at === this.#page.length) await this.#fetch();
    const row = this.#page[this.#at];
    if (row === undefined) return null;
    this.#at += 1;
    this.#rows += 1;
    for (const [column, cents] of this.#cents) {
      this.#cents.set(column, cents + Number(row[this.columns.indexOf(column)]));
    }
    return row;
  }

  async #fetch(): Promise<void> {
    const { client, schema } = this.side;
    const { name, key } = this.table;
    if (!this.#isOpen) {
      const sorted = Object.entries(key).map(([column, type]) => (type === 'text' ? `${column} collate "C"` : column));
      await client.query(
        `declare ${this.#cursor} no scroll cursor for
          select ${this.columns.join(', ')} from ${schema}.${name} order by ${sorted.join(', ')}`,
      );
      this.#isOpen = true;
    }
    const { rows } = await client.query<unknown[]>({
      text: `fetch ${LIMITS.operators.rowsPerFetch} from ${this.#cursor}`,
      rowMode: 'array',
    });
    this.#page = rows;
    this.#at = 0;
  }
}
