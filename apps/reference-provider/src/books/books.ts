import { randomUUID } from 'node:crypto';
import { inTransaction } from '@settle/postgres';
import type { Pool } from 'pg';
import type { ProviderChange } from '@settle/provider-api';
import { readRow, type BookObject, type ObjectKind, type ObjectRow } from './book-object.js';
import { BooksWriter } from './books-writer.js';

export interface BooksOptions {
  readonly pool: Pool;
  /** Time in ms since 1970. */
  readonly now: () => number;
  /** How long after a step the next one of a test card follows. */
  readonly laterMs: number;
  /** Whether changes are announced by callbacks. */
  readonly hasCallbacks: boolean;
}

/** Changes of one page, and the cursor that continues after them. */
interface ChangesPage {
  readonly changes: readonly ProviderChange[];
  readonly cursor: string;
}

const FIND = 'select * from objects where kind = $1 and key = $2';

/**
 * The books of the provider. One transaction writes at a time: it holds the lock on the only row of the table `books`.
 * So the decision about a key sees every earlier one, changes get numbers without gaps in the order in which readers see
 * them, and the times of bookings only grow. A provider with more traffic locks keys instead, and numbers changes apart.
 */
export class Books {
  constructor(private readonly options: BooksOptions) {}

  /** Runs `work` in one transaction, whose result is durable when it is returned. Errors: those of `work` and the database. */
  async write<Result>(work: (writer: BooksWriter) => Promise<Result>): Promise<Result> {
    const { pool, now, ...settings } = this.options;
    return inTransaction(pool, async (client) => {
      await client.query('select from books for update');
      // Read under the lock: what is decided later has a later time.
      return work(new BooksWriter(client, new Date(now()), settings));
    });
  }

  /**
   * Returns an object, or null if its key is not known. Null is exact: a request that has begun to write is waited for, so
   * that the key stays unknown once its `begin_before` has passed.
   */
  async find(kind: ObjectKind, key: string): Promise<BookObject | null> {
    const { pool } = this.options;
    const found = await pool.query<ObjectRow>(FIND, [kind, key]);
    const [row] = found.rows.length > 0 ? found.rows : await this.#findAfterWriters(kind, key);
    return row === undefined ? null : readRow(row);
  }

  /** Returns the object whose page has this id; null if there is none. */
  async findById(kind: ObjectKind, id: string): Promise<BookObject | null> {
    const { rows } = await this.options.pool.query<ObjectRow>('select * from objects where id = $1 and kind = $2', [
      id,
      kind,
    ]);
    return rows[0] === undefined ? null : readRow(rows[0]);
  }

  /** Returns at most `limit` changes after a cursor, the oldest first. @param after 0: from the beginning */
  async changesAfter(after: bigint, limit: number): Promise<ChangesPage> {
    const { rows } = await this.options.pool.query<ChangeRow>(
      'select * from changes where cursor > $1 order by cursor limit $2',
      [String(after), limit],
    );
    return {
      changes: rows.map(({ kind, key, version, changed_at }) => ({
        ...{ kind, key, version },
        changed_at: changed_at.toISOString(),
      })),
      cursor: rows.at(-1)?.cursor ?? String(after),
    };
  }

  /** Returns whether a step of a test card is due, without the lock on the books. */
  async hasDueSteps(): Promise<boolean> {
    const { pool, now } = this.options;
    const { rows } = await pool.query('select from scheduled_steps where due_at <= $1 limit 1', [new Date(now())]);
    return rows.length > 0;
  }

  async #findAfterWriters(kind: ObjectKind, key: string): Promise<ObjectRow[]> {
    return inTransaction(this.options.pool, async (client) => {
      await client.query('select from books for share');
      return (await client.query<ObjectRow>(FIND, [kind, key])).rows;
    });
  }
}

interface ChangeRow {
  readonly cursor: string;
  readonly kind: ObjectKind;
  readonly key: string;
  readonly version: number;
  readonly changed_at: Date;
}

/** Returns a new id of the provider. It cannot be guessed. */
export const createId = (prefix: string): string => `${prefix}_${randomUUID().replaceAll('-', '')}`;
