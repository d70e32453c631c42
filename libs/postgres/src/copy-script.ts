import type { ClientBase, Connection } from 'pg';

const QUERY_MESSAGE = 0x51;
const COPY_DATA_MESSAGE = 0x64;
const COPY_DONE = Buffer.from([0x63, 0, 0, 0, 4]);

/** Several statements in one message, and behind it the rows of each `copy` among them, in order. */
class CopyScript {
  readonly done: Promise<void>;
  /** pg puts its own in front, which ends the timer of `query_timeout`: it must be called whatever the end. */
  callback = (error: Error | null): void => {
    if (error === null) this.#resolve();
    else this.#reject(error);
  };
  #resolve: () => void;
  #reject: (error: Error) => void;

  constructor(
    private readonly statements: string,
    private readonly rows: readonly Buffer[],
  ) {
    this.done = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  submit({ stream }: Connection): void {
    stream.cork();
    stream.write(
      message(QUERY_MESSAGE, this.statements.length * 3 + 1, (buffer) => buffer.write(`${this.statements}\0`, 5)),
    );
    for (const rows of this.rows) {
      const head = Buffer.allocUnsafe(5);
      head[0] = COPY_DATA_MESSAGE;
      head.writeInt32BE(rows.length + 4, 1);
      stream.write(head);
      stream.write(rows);
      stream.write(COPY_DONE);
    }
    stream.uncork();
  }

  handleError(error: Error): void {
    this.callback(error);
  }

  /** Not called after an error: pg has forgotten the query by then. */
  handleReadyForQuery(): void {
    this.callback(null);
  }

  handleRowDescription(): void {}

  handleDataRow(): void {}

  handleCopyInResponse(): void {}

  handleCommandComplete(): void {}

  handleEmptyQuery(): void {}
}

function message(kind: number, roomBytes: number, write: (buffer: Buffer) => number): Buffer {
  const buffer = Buffer.allocUnsafe(5 + roomBytes);
  const bytes = write(buffer);
  buffer[0] = kind;
  buffer.writeInt32BE(bytes + 4, 1);
  return buffer.subarray(0, 5 + bytes);
}

/**
 * Runs statements as one transaction in one round trip. `rows` belong to the `copy … from stdin` statements in
 * order. The statements are fixed texts of ours and numbers, never input. Rejects with the server's error, nothing
 * having been stored, or with the connection's.
 */
export function runCopyScript(client: ClientBase, statements: string, rows: readonly Buffer[]): Promise<void> {
  return client.query(new CopyScript(statements, rows)).done;
}
