import type { Client, Connection } from 'pg';

/** What went wrong on the server; `severity` FATAL and PANIC end the connection. */
export interface ServerError extends Error {
  readonly code?: string;
  readonly severity?: string;
}

/** The answer to an append. */
export interface AppendResponse {
  /** Of its last event. */
  readonly position: number;
  /** What the database's clock showed at its end, in milliseconds since 1970. */
  readonly clockMs: number;
}

interface RowMessage {
  readonly fields: readonly (string | null)[];
}

/**
 * An append as `pg` takes it: everything is written at once, and it is done when the server says that it is ready,
 * which it does after the commit. When the server refuses the statement it drops what it has not read of it.
 */
class CopyStatement {
  readonly done: Promise<AppendResponse>;
  #resolve: (appended: AppendResponse) => void;
  #reject: (error: ServerError) => void;
  #lastRow: readonly (string | null)[] = [];

  constructor(private readonly message: Buffer) {
    this.done = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  submit(connection: Connection): void {
    connection.stream.write(this.message);
  }

  handleDataRow({ fields }: RowMessage): void {
    this.#lastRow = fields;
  }

  handleReadyForQuery(): void {
    const [position, clockMs] = this.#lastRow;
    this.#resolve({ position: Number(position), clockMs: Number(clockMs) });
  }

  handleError(error: ServerError): void {
    this.#reject(error);
  }

  handleRowDescription(): void {}

  handleCopyInResponse(): void {}

  handleCommandComplete(): void {}
}

/**
 * Sends an encoded append. Rejects with the server's error, or with
 * the connection's when that is lost before the answer.
 */
export function sendCopy(client: Client, message: Buffer): Promise<AppendResponse> {
  return client.query(new CopyStatement(message)).done;
}
