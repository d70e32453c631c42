import type { ClientBase } from 'pg';

/** Where the read models are not what the events say. Names columns and never their values, which may be private. */
export interface Difference {
  readonly table: string;
  /** Values of the key, joined by a colon. */
  readonly key: string;
  readonly problem: 'missing' | 'not from an event' | `differs in ${string}`;
}

export interface ComparedTable {
  readonly name: string;
  /** Types by column; together they are unique. */
  readonly key: Readonly<Record<string, string>>;
}

type Row = Readonly<Record<string, unknown>>;

/** Compares one table, some rows at a time, and counts, to see at the end whether it holds any others. */
export class RowComparison {
  readonly #keyColumns: readonly string[];
  #found = 0;

  constructor(
    private readonly client: ClientBase,
    private readonly table: ComparedTable,
  ) {
    this.#keyColumns = Object.keys(table.key);
  }

  /** @param expected rows, all with the same columns, that have not been compared before */
  async compare(expected: readonly Row[]): Promise<Difference[]> {
    const [first] = expected;
    if (first === undefined) return [];
    const { name } = this.table;
    const wanted = Object.values(this.table.key).map((type, index) => `$${index + 1}::${type}[]`);
    const columns = this.#keyColumns.join(', ');
    const { rows } = await this.client.query<Row>(
      `select ${Object.keys(first).join(', ')} from ${name}
        join unnest(${wanted.join(', ')}) as wanted (${columns}) using (${columns})`,
      this.#keyColumns.map((column) => expected.map((row) => row[column])),
    );
    this.#found += rows.length;
    const found = new Map(rows.map((row) => [this.#key(row), row]));
    return expected.flatMap((row) => {
      const key = this.#key(row);
      const problem = problemOf(row, found.get(key));
      return problem === null ? [] : [{ table: name, key, problem }];
    });
  }

  /** Rows that no event stands for; `limit` bounds what is answered. */
  async others(isExpected: (key: string) => boolean, limit: number): Promise<Difference[]> {
    const { name } = this.table;
    const counted = await this.client.query<{ rows: string }>(`select count(*) as rows from ${name}`);
    if (Number(counted.rows[0]?.rows) <= this.#found) return [];
    const differences: Difference[] = [];
    await this.client.query(`declare others no scroll cursor for select ${this.#keyColumns.join(', ')} from ${name}`);
    for (let isMore = true; isMore && differences.length < limit;) {
      const { rows } = await this.client.query<Row>('fetch 1000 from others');
      isMore = rows.length > 0;
      for (const key of rows.map((row) => this.#key(row))) {
        if (!isExpected(key)) differences.push({ table: name, key, problem: 'not from an event' });
      }
    }
    await this.client.query('close others');
    return differences.slice(0, limit);
  }

  #key(row: Row): string {
    return this.#keyColumns.map((column) => String(row[column])).join(':');
  }
}

function problemOf(expected: Row, found: Row | undefined): Difference['problem'] | null {
  if (found === undefined) return 'missing';
  const columns = Object.keys(expected).filter((column) => String(expected[column]) !== String(found[column]));
  return columns.length === 0 ? null : `differs in ${columns.join(', ')}`;
}
