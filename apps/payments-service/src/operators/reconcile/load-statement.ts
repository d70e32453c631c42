import type { ClientBase } from 'pg';
import { MalformedStatement, inBatches } from './statement-lines.js';
import { addStatementRows } from './statement-tables.js';
import {
  isSummedRow,
  movedCents,
  readHead,
  readRow,
  type StatementHead,
  type StatementRow,
  type SummedKind,
} from './statement.js';

/** A statement whose rows are in the tables of the comparison. */
export interface LoadedStatement extends StatementHead {
  readonly rows: number;
  /** Cents by which its rows change its sum: money in less money out. */
  readonly movedCents: number;
  readonly summedCents: Readonly<Record<SummedKind, number>>;
}

/** Reads a statement line by line into the tables. Error: `MalformedStatement`; the database's. */
export async function loadStatement(client: ClientBase, lines: AsyncIterable<string>): Promise<LoadedStatement> {
  const reader = new StatementReader();
  for await (const batch of inBatches(reader.rows(lines))) await addStatementRows(client, batch);
  return reader.end();
}

class StatementReader {
  #head: StatementHead | null = null;
  #rows = 0;
  #movedCents = 0;
  readonly #summedCents: Record<SummedKind, number> = { fee: 0, settlement: 0 };

  /** Yields the rows that are matched; those that are only summed are counted on the way. */
  async *rows(lines: AsyncIterable<string>): AsyncGenerator<StatementRow> {
    let line = 0;
    for await (const text of lines) {
      line += 1;
      if (this.#head === null) {
        this.#head = readHead(text);
        continue;
      }
      const row = readRow(text, line, this.#head);
      this.#rows += 1;
      this.#movedCents += movedCents(row);
      if (isSummedRow(row)) this.#summedCents[row.kind] += row.cents;
      else yield row;
    }
  }

  end(): LoadedStatement {
    if (this.#head === null) throw new MalformedStatement(1, 'the file is empty');
    return { ...this.#head, rows: this.#rows, movedCents: this.#movedCents, summedCents: this.#summedCents };
  }
}
