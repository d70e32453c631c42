import { LIMITS } from '@settle/config';
import type { ClientBase } from 'pg';
import type { Difference } from '../read-models/ledger/ledger-table.js';
import type { Row, Table } from '../read-models/table.js';

/** Describes a difference without values, which may be private. */
export function describe({ name }: Table, { key, columns }: Difference): string {
  return `${name} ${key}: ${columns === null ? 'missing' : `differs in ${columns.join(', ')}`}`;
}

export async function countRows(client: ClientBase, { name }: Table): Promise<number> {
  const { rows } = await client.query<{ rows: string }>(`select count(*) as rows from ${name}`);
  return Number(rows[0]?.rows);
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
    const found = new Map(rows.map((row) => [this.#valuesOf(row).join(':'), row]));
    return expected.flatMap((row): Difference[] => {
      const key = this.#valuesOf(row).join(':');
      const other = found.get(key);
      if (other === undefined) return [{ expected: row, key, columns: null }];
      const differing = reproducibleColumns.filter((column) => String(row[column]) !== String(other[column]));
      return differing.length === 0 ? [] : [{ expected: row, key, columns: differing }];
    });
  }

  /** Returns the key of the first row without events; null if there is none. */
  async findOther(isExpected: (key: readonly string[]) => Promise<boolean> | boolean): Promise<string | null> {
    const { name } = this.table;
    if ((await countRows(this.client, this.table)) <= this.#found) return null;
    await this.client.query(`declare others no scroll cursor for select ${this.#keyColumns.join(', ')} from ${name}`);
    let other: string | null = null;
    for (let isOver = false; !isOver && other === null;) {
      const { rows } = await this.client.query<Row>(`fetch ${LIMITS.operators.rowsPerFetch} from others`);
      isOver = rows.length === 0;
      for (const row of rows) {
        const key = this.#valuesOf(row);
        if (other === null && !(await isExpected(key))) other = key.join(':');
      }
    }
    await this.client.query('close others');
    return other;
  }

  #valuesOf(row: Row): string[] {
    return this.#keyColumns.map((column) => String(row[column]));
  }
}
