import type { CopyRows } from '@settle/postgres';
import { escapeLiteral } from 'pg';

export type ColumnType = 'bigint' | 'int' | 'text';
type Value = string | number | null;

/** A row by column, as it is compared with another. */
export type Row = Readonly<Record<string, unknown>>;

/** A column's type, and its value in the row of a source: an integer, a string of digits or a storable text. */
export type Column<Source> = readonly [type: ColumnType, valueOf: (source: Source) => Value];

type ValueOf = (source: unknown) => Value;
/** Without the type of the source, so that tables of different sources can stand in one list. */
type StoredColumn = readonly [name: string, type: ColumnType, valueOf: ValueOf];

export interface TableDescription<Source> {
  readonly name: string;
  /** Columns that are unique together. */
  readonly key: readonly string[];
  readonly columns: Readonly<Record<string, Column<Source>>>;
  /** Columns that a rebuild may fill differently: the time of projection, or columns newer than some rows. */
  readonly unreproducibleColumns?: readonly string[];
}

/** A table of a read model: the one list of its columns, from which statements, encoded and expected rows follow. */
export class Table<Source = unknown> {
  readonly name: string;
  /** Types by column. */
  readonly key: Readonly<Record<string, ColumnType>>;
  /** Types by column, of all columns. */
  readonly types: Readonly<Record<string, ColumnType>>;
  /** Columns that depend on the events alone, the key first. */
  readonly reproducibleColumns: readonly string[];
  /** Inserts rows in the format of `encode`. */
  readonly copyStatement: string;
  readonly #columns: readonly StoredColumn[];

  constructor({ name, key, columns, unreproducibleColumns = [] }: TableDescription<Source>) {
    this.name = name;
    this.#columns = Object.entries(columns).map(([column, [type, valueOf]]) => [column, type, valueOf as ValueOf]);
    this.types = Object.fromEntries(this.#columns.map(([column, type]) => [column, type]));
    this.key = Object.fromEntries(key.map((column) => [column, this.#column(column)[1]]));
    const others = Object.keys(columns).filter((column) => !key.includes(column));
    this.reproducibleColumns = [...key, ...others.filter((column) => !unreproducibleColumns.includes(column))];
    this.copyStatement = `copy ${name} (${Object.keys(columns).join(', ')}) from stdin (format binary)`;
  }

  /** Appends the row of a source. */
  encode(source: Source, rows: CopyRows): void {
    rows.row(this.#columns.length);
    for (const [, type, valueOf] of this.#columns) {
      const value = valueOf(source);
      if (type === 'bigint') rows.int8(value);
      else if (type === 'int') rows.int4(value as number | null);
      else rows.text(value as string | null);
    }
  }

  /** Returns the reproducible columns of the row of a source. */
  expectedRow(source: Source): Row {
    return Object.fromEntries(
      this.reproducibleColumns.map((column) => [column, this.#column(column)[2](source)] as const),
    );
  }

  /** Returns the statement that adds the rows of sources to existing ones: every column beside the key is a sum. */
  addStatement(sources: readonly Source[]): string {
    const columns = Object.keys(this.types);
    const [all, key] = [columns.join(', '), Object.keys(this.key)];
    const sums = columns.filter((column) => !key.includes(column)).map((sum) => `${sum} = t.${sum} + excluded.${sum}`);
    return `insert into ${this.name} as t (${all}) select ${all} from ${this.values(sources, columns)}
      on conflict (${key.join(', ')}) do update set ${sums.join(', ')}`;
  }

  /** Returns the rows of sources as an item of a from clause with the name `v`. Without parameters: it goes out together with rows. */
  values(sources: readonly Source[], columns: readonly string[]): string {
    const arrays = columns.map((column) => {
      const [, type, valueOf] = this.#column(column);
      const elements = sources.map((source) => arrayElement(type, valueOf(source)));
      return `${escapeLiteral(`{${elements.join()}}`)}::${type}[]`;
    });
    return `unnest(${arrays.join(', ')}) as v (${columns.join(', ')})`;
  }

  #column(name: string): StoredColumn {
    const found = this.#columns.find(([column]) => column === name);
    if (found === undefined) throw new RangeError(`The table ${this.name} has no column ${name}`);
    return found;
  }
}

function arrayElement(type: ColumnType, value: Value): string {
  if (value === null) return 'null';
  if (type === 'text') return `"${String(value).replaceAll(/["\\]/g, String.raw`\$&`)}"`;
  return Number.isSafeInteger(value) ? String(value) : String(BigInt(value));
}
