import type { ClientBase } from 'pg';
import { START, type StoredEvent } from './event-store.js';

/** An event that this process has seen in the log. */
export type SeenEvent = Pick<StoredEvent, 'id' | 'position' | 'stream' | 'revision'>;

/** The log has lost an event that this process has seen. Its state may be wrong, so the process must end. */
export class LogRegression extends Error {
  constructor(seen: SeenEvent, currentState: string) {
    super(
      `The event log has lost the event ${seen.id} at position ${seen.position}, which this process has seen ` +
        `(${currentState}). A backup was restored, or a standby without the newest commits took over. ` +
        'This process ends: start it again',
    );
    this.name = 'LogRegression';
  }
}

/** Records the newest event that this process has seen in the log, and whether the log has lost it. */
export class LogContinuity {
  #newest: SeenEvent | null = null;
  #failure: LogRegression | null = null;

  /** @param onLost called once, when the log has lost an event */
  constructor(private readonly onLost: (error: LogRegression) => void = () => undefined) {}

  get newest(): SeenEvent | null {
    return this.#newest;
  }

  /** Error: `LogRegression` if the log has lost an event. */
  throwIfLost(): void {
    if (this.#failure !== null) throw this.#failure;
  }

  observe(event: SeenEvent): void {
    if (event.position > (this.#newest?.position ?? START)) this.#newest = event;
  }

  /**
   * Compares the log with an event that was seen.
   * @param currentId the id of the event that the log now has in its place; undefined: none
   * @param currentState description of the log for the error message
   * Error: `LogRegression` if the ids differ
   */
  compare(seen: SeenEvent, currentId: string | undefined, currentState: string): void {
    this.throwIfLost();
    if (currentId === seen.id) return;
    this.#failure = new LogRegression(seen, currentState);
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

/** Reads the event at a position, the newest position, and the server: its system identifier and timeline. */
const READ_SERVER_STATE = `select pg_is_in_recovery() as "isStandby",
  (select id from events where position = $1)::text as id, (select max(position) from events)::text as newest,
  'server ' || (select system_identifier from pg_control_system()) || ', timeline ' ||
    case when pg_is_in_recovery() then 'none' else substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) end as server`;

/**
 * Checks the log on a new connection to PostgreSQL, which may lead to another server. A log that has the newest event that
 * was seen has all earlier ones, too. Errors: `LogRegression`; the server is a standby, which may become the primary.
 */
export async function verifyLogContinuity(client: Pick<ClientBase, 'query'>, continuity: LogContinuity): Promise<void> {
  continuity.throwIfLost();
  const seen = continuity.newest;
  if (seen === null) return;
  const { rows } = await client.query<ServerState>(READ_SERVER_STATE, [seen.position]);
  const [state] = rows;
  if (state === undefined || state.isStandby) throw new Error('The database is a standby');
  continuity.compare(seen, state.id ?? undefined, `it ends at position ${state.newest ?? START}, ${state.server}`);
}
