import { LIMITS } from '@settle/config';

const { statementLineBytes, statementRows } = LIMITS.operators;

/** A line of the statement that cannot be read, or that contradicts another one. */
export class MalformedStatement extends Error {
  /** @param line counted from 1 */
  constructor(line: number, reason: string) {
    super(`line ${line} of the statement: ${reason}`);
    this.name = 'MalformedStatement';
  }
}

/**
 * Yields the lines of a file without their ends, from chunks of any size, and holds one line at a time. Error: a line is
 * too long.
 */
export async function* linesOf(chunks: AsyncIterable<Buffer | string>): AsyncGenerator<string> {
  let rest = '';
  let line = 0;
  for await (const chunk of chunks) {
    rest += chunk.toString('latin1');
    let from = 0;
    for (let end = rest.indexOf('\n'); end !== -1; end = rest.indexOf('\n', from)) {
      line += 1;
      if (end - from > statementLineBytes) throw tooLong(line);
      yield rest.slice(from, end > from && rest[end - 1] === '\r' ? end - 1 : end);
      from = end + 1;
    }
    rest = rest.slice(from);
    if (rest.length > statementLineBytes) throw tooLong(line + 1);
  }
  if (rest !== '') yield rest;
}

function tooLong(line: number): MalformedStatement {
  return new MalformedStatement(line, `it is longer than ${statementLineBytes} bytes`);
}

/** Gathers items into batches of a bounded size, and pulls none before the batch before it was taken. */
export async function* inBatches<Item>(
  items: AsyncIterable<Item>,
  size: number = statementRows,
): AsyncGenerator<readonly Item[]> {
  let batch: Item[] = [];
  for await (const item of items) {
    batch.push(item);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
