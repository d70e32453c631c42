import type { ClientBase } from 'pg';
import { START, type StoredEvent } from './event-store.js';

/** An event that is known to be stored. */
export type SeenEvent = Pick<StoredEvent, 'id' | 'position' | 'stream' | 'revision'>;

/** The log has lost an event that this process has seen: all that it knows of the log may be wrong, and it must end. */
export class LogWentBack extends Error {
  constructor(seen: SeenEvent, whereNow: string) {
    super(
      `The event log went back: the event ${seen.id} at position ${seen.position}, which this process has seen, is not there ` +
        `any more (${whereNow}). A backup was restored, or a standby took over without the newest commits. This process ends: start it again`,
    );
    this.name = 'LogWentBack';
  }
}

/** Remembers the newest event that this process has seen in the log, and whether the log has lost it. */
export class LogContinuity {
  #newest: SeenEvent | null = null;
  #failure: LogWentBack | null = null;

  /** @param onLost called once, when the log is found to have gone back */
  constructor(private readonly onLost: (error: LogWentBack) => void = () => undefined) {}

  get newest(): SeenEvent | null {
    return this.#newest;
  }

  get newestPosition(): number {
    return this.#newest?.position ?? START;
  }

  /** Errors: `LogWentBack`, once the log has. */
  throwIfLost(): void {
    if (this.#failure !== null) throw this.#failure;
  }

  observe(event: SeenEvent): void {
    if (event.position > this.newestPosition) this.#newest = event;
  }

  /**
   * Compares what stands in the log with what was seen.
   * @param standing the id of the event that stands where `seen` stood; absent: there is none
   * Errors: `LogWentBack`
   */
  compare(seen: SeenEvent, standing: string | undefined, whereNow: string): void {
    this.throwIfLost();
    if (standing === seen.id) return;
    this.#failure = new LogWentBack(seen, whereNow);
    this.onLost(this.#failure);
    throw this.#failure;
  }
}

interface ServerState {
  readonly isStandby: boolean;
  readonly id: string | null;
  readonly newest: string | null;
  readonly server: string;
}

/** The server by its system identifier, and its timeline, which a promoted standby counts up. */
const READ_SERVER_STATE = `select pg_is_in_recovery() as "isStandby",
  (select id from events where position = $1)::text as id, (select max(position) from events)::text as newest,
  'server ' || (select system_identifier from pg_control_system()) || ', timeline ' ||
    case when pg_is_in_recovery() then 'none' else substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) end as server`;

/**
 * To be called on every new connection to PostgreSQL before it is used: it may lead to another server than the one
 * before. A log that still has the newest event that was seen has all before it as well.
 * Errors: `LogWentBack`; the server is a standby, which may become the primary.
 */
export async function verifyLogContinuity(client: Pick<ClientBase, 'query'>, continuity: LogContinuity): Promise<void> {
  continuity.throwIfLost();
  const seen = continuity.newest;
  if (seen === null) return;
  const { rows } = await client.query<ServerState>(READ_SERVER_STATE, [seen.position]);
  const [look] = rows;
  if (look === undefined || look.isStandby) throw new Error('The database is a standby');
  continuity.compare(seen, look.id ?? undefined, `it ends at position ${look.newest ?? START}, ${look.server}`);
}
