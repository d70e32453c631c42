import { LIMITS } from '@settle/config';
import type { StoredEvent } from '@settle/event-store';
import { CopyRows, runCopyScript } from '@settle/postgres';
import { escapeLiteral, type ClientBase, type QueryResult } from 'pg';
import type { BatchChanges, Projection } from '../read-models/projection.js';
import type { Table } from '../read-models/table.js';
import { UNKNOWN_VERSION } from './checkpoints.js';
import { CheckpointConnection, type CheckpointConnectionOptions } from './checkpoint-connection.js';

export interface ProjectionWriterOptions extends CheckpointConnectionOptions {
  readonly projection: Projection;
  /** Channel that notifies other instances of the new position; null if none wait for it. */
  readonly progressChannel: string | null;
}

/**
 * Writes the rows of a projection and its checkpoint in one transaction, sent as one message: a process that freezes
 * between two messages would keep the checkpoint's row locked.
 */
export class ProjectionWriter {
  readonly connection: CheckpointConnection;
  readonly #rows = new Map<Table, CopyRows>();

  constructor(private readonly options: ProjectionWriterOptions) {
    this.connection = new CheckpointConnection(options);
  }

  /**
   * Writes one batch. Error, with nothing written: the checkpoint is not at `from`, or another holder has claimed it.
   * @param last newest event of the batch, which is stored with the checkpoint; null if the batch has none
   */
  async write(changes: BatchChanges, from: number, to: number, last: StoredEvent | null): Promise<void> {
    try {
      await this.connection.use(from, (client) => {
        const [copies, rows] = this.#encode(changes);
        const { progressChannel } = this.options;
        const notification = progressChannel === null ? [] : [`notify ${progressChannel}, '${to}'`];
        const move = this.#moveStatement(from, to, last);
        // The commit need not wait for the disk: rows that are lost together with the checkpoint are projected again.
        const first = ['set local synchronous_commit = off', move, ...notification];
        return runCopyScript(client, [...first, ...changes.statements, ...copies].join('; '), rows);
      });
    } finally {
      for (const rows of this.#rows.values()) rows.clear();
    }
  }

  /** Returns the version of the projection that has written the rows before the checkpoint. */
  async readVersion(position: number): Promise<number> {
    return this.connection.use(position, async (client) => {
      const { rows } = await client.query<{ version: number }>('select version from checkpoints where name = $1', [
        this.options.projection.name,
      ]);
      return rows[0]?.version ?? UNKNOWN_VERSION;
    });
  }

  /**
   * Removes all rows of the projection, a bounded number in each transaction, and sets the checkpoint to the beginning.
   * @param position of the checkpoint
   * @param signal ends it between two transactions; the unknown version lets the next holder go on with it
   */
  async empty(position: number, signal: AbortSignal): Promise<void> {
    const { name, version, readModels } = this.options.projection;
    const stored = escapeLiteral(name);
    const first = `${this.#moveStatement(position, position, null)};
      update checkpoints set version = ${UNKNOWN_VERSION} where name = ${stored}`;
    for (const table of readModels.flatMap(({ tables }) => tables)) {
      let removed: number;
      do {
        if (signal.aborted) return;
        removed = await this.connection.use(position, (client) => removeSome(client, first, table));
      } while (removed > 0);
    }
    await this.connection.use(position, (client) =>
      client.query(`${this.#moveStatement(position, 0, null)};
        update checkpoints set version = ${version}, position = 0 where name = ${stored}`),
    );
  }

  /** First in every transaction: the lock on the checkpoint's row excludes other writers. */
  #moveStatement(from: number, to: number, last: StoredEvent | null): string {
    const { projection, fence } = this.options;
    return `select move_checkpoint(${escapeLiteral(projection.name)}, ${from}, ${to}, ${fence}${eventArguments(last)})`;
  }

  #encode({ inserts }: BatchChanges): [statements: string[], rows: Buffer[]] {
    const statements: string[] = [];
    const encoded: Buffer[] = [];
    for (const { table, sources } of inserts) {
      if (sources.length === 0) continue;
      const rows = this.#rows.get(table) ?? new CopyRows();
      this.#rows.set(table, rows);
      for (const source of sources) table.encode(source, rows);
      statements.push(table.copyStatement);
      encoded.push(rows.finish());
    }
    return [statements, encoded];
  }
}

/** Returns the event as further arguments of `move_checkpoint`. */
function eventArguments(event: StoredEvent | null): string {
  if (event === null) return '';
  const { stream, revision, id, position } = event;
  return `, ${escapeLiteral(stream)}, ${revision}, ${escapeLiteral(id)}, ${position}`;
}

/** Returns the number of removed rows. @param first statements of the same transaction */
async function removeSome(client: ClientBase, first: string, { name }: Table): Promise<number> {
  const some = `array(select ctid from ${name} limit ${LIMITS.payments.rowsPerRemoval})`;
  const results = await client.query(`${first}; delete from ${name} where ctid = any (${some})`);
  return (results as unknown as QueryResult[]).at(-1)?.rowCount ?? 0;
}
