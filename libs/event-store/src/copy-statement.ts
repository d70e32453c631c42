import type { Client, Connection } from 'pg';

/** An error of the server; the severities FATAL and PANIC end the connection. */
export interface ServerError extends Error {
  readonly code?: string;
  readonly severity?: string;
}

/** The response to an append. */
export interface AppendResponse {
  /** Position of its last event. */
  readonly position: number;
  /** Time on the clock of the database at its end, in milliseconds since 1970. */
  readonly clockMs: number;
}

interface RowMessage {
  readonly fields: readonly (string | null)[];
}

/**
 * An append as a query of `pg`. It writes everything at once and resolves on ReadyForQuery, which the server sends after
 * the commit. After an error, the server discards the rest of the message.
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
 * Sends an encoded append. Rejects with the error of the server, or with that of the connection if it is lost before the
 * response.
 */
export function sendCopy(client: Client, message: Buffer): Promise<AppendResponse> {
  return client.query(new CopyStatement(message)).done;
}
