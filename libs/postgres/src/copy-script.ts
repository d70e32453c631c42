import type { ClientBase, Connection } from 'pg';

const QUERY_MESSAGE = 0x51;
const COPY_DATA_MESSAGE = 0x64;
const COPY_DONE = Buffer.from([0x63, 0, 0, 0, 4]);

type Row = readonly (string | null)[];

/**
 * A query of `pg` that sends several statements in one message, followed by the rows of each `copy`, in order. It ends
 * with ReadyForQuery, which the server sends after the commit.
 */
class CopyScript {
  readonly #outcome = Promise.withResolvers<Row>();
  readonly done = this.#outcome.promise;
  #lastRow: Row = [];
  /** `pg` wraps this callback to clear the timer of `query_timeout`, so every outcome must call it. */
  callback = (error: Error | null): void => {
    if (error === null) this.#outcome.resolve(this.#lastRow);
    else this.#outcome.reject(error);
  };

  constructor(
    private readonly statements: string,
    private readonly rows: readonly Buffer[],
  ) {}

  submit({ stream }: Connection): void {
    stream.cork();
    stream.write(buildQueryMessage(this.statements));
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

  handleDataRow({ fields }: { readonly fields: Row }): void {
    this.#lastRow = fields;
  }

  handleRowDescription(): void {}

  handleCopyInResponse(): void {}

  handleCommandComplete(): void {}

  handleEmptyQuery(): void {}
}

function buildQueryMessage(statements: string): Buffer {
  const message = Buffer.from(`\0\0\0\0\0${statements}\0`);
  message[0] = QUERY_MESSAGE;
  message.writeInt32BE(message.length - 1, 1);
  return message;
}

/**
 * Runs statements as one transaction in one round trip, and returns the last row that they have selected. `rows` are the
 * data of the `copy … from stdin` statements, in order; the buffers must not change before the result. The statements
 * consist of constants and numbers, never of user input. Rejects with the error of the server, which has stored nothing,
 * or with that of the connection.
 */
export function runCopyScript(client: ClientBase, statements: string, rows: readonly Buffer[]): Promise<Row> {
  return client.query(new CopyScript(statements, rows)).done;
}
