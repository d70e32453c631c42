import type { ClientBase, Connection } from 'pg';

const QUERY_MESSAGE = 0x51;
const COPY_DATA_MESSAGE = 0x64;
const COPY_DONE = Buffer.from([0x63, 0, 0, 0, 4]);

/** A query of `pg` that sends several statements in one message, followed by the rows of each `copy`, in order. */
class CopyScript {
  readonly done: Promise<void>;
  /** `pg` wraps this callback to clear the timer of `query_timeout`, so every outcome must call it. */
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
      buildMessage(QUERY_MESSAGE, this.statements.length * 3 + 1, (buffer) => buffer.write(`${this.statements}\0`, 5)),
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

  /** `pg` does not call this after an error. */
  handleReadyForQuery(): void {
    this.callback(null);
  }

  handleRowDescription(): void {}

  handleDataRow(): void {}

  handleCopyInResponse(): void {}

  handleCommandComplete(): void {}

  handleEmptyQuery(): void {}
}

function buildMessage(type: number, roomBytes: number, write: (buffer: Buffer) => number): Buffer {
  const buffer = Buffer.allocUnsafe(5 + roomBytes);
  const bytes = write(buffer);
  buffer[0] = type;
  buffer.writeInt32BE(bytes + 4, 1);
  return buffer.subarray(0, 5 + bytes);
}

/**
 * Runs statements as one transaction in one round trip. `rows` are the data of the `copy … from stdin` statements, in
 * order. The statements consist of constants and numbers, never of user input. Rejects with the error of the server,
 * which has stored nothing, or with that of the connection.
 */
export function runCopyScript(client: ClientBase, statements: string, rows: readonly Buffer[]): Promise<void> {
  return client.query(new CopyScript(statements, rows)).done;
}
