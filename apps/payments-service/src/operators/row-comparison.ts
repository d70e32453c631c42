import { LIMITS } from '@settle/config';
import type { ClientBase } from 'pg';
import type { Difference } from '../read-models/ledger/ledger-table.js';
import type { Row, Table } from '../read-models/table.js';

/** Describes a difference without values, which may be private. */
export function describe({ name }: Table, { key, columns }: Difference): string {
  return `${name} ${key}: ${columns === null ? 'missing' : `differs in ${columns.join(', ')}`}`;
}

/** Compares one table, a few rows at a time, and counts them to find rows without events at the end. */
export class RowComparison {
  readonly #keyColumns: readonly string[];
  #found = 0;

  /** @param client in a transaction with one snapshot */
  constructor(
    private readonly client: ClientBase,
    private readonly table: Table,
  ) {
    this.#keyColumns = Object.keys(table.key);
  }

  /** @param sources of expected rows that were not compared before */
  async compare(sources: readonly unknown[]): Promise<Difference[]> {
    if (sources.length === 0) return [];
    const { name, reproducibleColumns } = this.table;
    const expected = sources.map((source) => this.table.expectedRow(source));
    const wanted = Object.values(this.table.key).map((type, index) => `$${index + 1}::${type}[]`);
    const columns = this.#keyColumns.join(', ');
    const { rows } = await this.client.query<Row>(
      `select ${reproducibleColumns.join(', ')} from ${name}
        join unnest(${wanted.join(', ')}) as wanted (${columns}) using (${columns})`,
      this.#keyColumns.map((column) => expected.map((row) => row[column])),
    );
    this.#found += rows.length;
    const found = new Map(rows.map((row) => [this.#key(row), row]));
    return expected.flatMap((row) => {
      const key = this.#key(row);
      const columnsThatDiffer = differing(row, found.get(key));
      return columnsThatDiffer?.length === 0 ? [] : [{ expected: row, key, columns: columnsThatDiffer }];
    });
  }

  /** Returns the key of the first row without events; null if there is none. */
  async findOther(isExpected: IsExpected): Promise<string | null> {
    const { name } = this.table;
    const counted = await this.client.query<{ rows: string }>(`select count(*) as rows from ${name}`);
    if (Number(counted.rows[0]?.rows) <= this.#found) return null;
    await this.client.query(`declare others no scroll cursor for select ${this.#keyColumns.join(', ')} from ${name}`);
    for (;;) {
      const { rows } = await this.client.query<Row>(`fetch ${LIMITS.operators.rowsPerFetch} from others`);
      const other = await firstOther(rows, (row) => isExpected(this.#keyColumns.map((column) => String(row[column]))));
      if (other === undefined && rows.length > 0) continue;
      await this.client.query('close others');
      return other === undefined ? null : this.#key(other);
    }
  }

  #key(row: Row): string {
    return this.#keyColumns.map((column) => String(row[column])).join(':');
  }
}

type IsExpected = (key: readonly string[]) => Promise<boolean> | boolean;

async function firstOther(
  rows: readonly Row[],
  isExpected: (row: Row) => Promise<boolean> | boolean,
): Promise<Row | undefined> {
  for (const row of rows) if (!(await isExpected(row))) return row;
  return undefined;
}

function differing(expected: Row, found: Row | undefined): string[] | null {
  if (found === undefined) return null;
  return Object.keys(expected).filter((column) => String(expected[column]) !== String(found[column]));
}
