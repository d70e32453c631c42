/**
 * Held by every append from before its first row until after its commit can be seen, by all instances on one
 * database. Without it positions are drawn in one order and become visible in another, and a reader that asks for
 * "everything after p" would miss what a slower writer commits below p. Comparing transaction ids instead does not
 * do: a writer can own the lower id and still draw the higher position, and waiting for the oldest running
 * transaction lets any long one stall every reader. The lock costs little because a writer sends all its waiting
 * units in one statement.
 */
export const APPEND_LOCK_KEY = 7_355_608_001;

/** Holds every event, and nothing else does. */
export const EVENTS_TABLE = 'events';

export const FIND_EVENT_LOG = `select where to_regclass('${EVENTS_TABLE}') is not null`;

/** An existing log is not locked: a migration need not wait for the append in progress. */
const CREATE_EVENT_LOG = `
  do $$ begin
    if to_regclass('events') is not null and to_regclass('events_stream_revision') is not null then
      return;
    end if;
    perform pg_advisory_xact_lock(${APPEND_LOCK_KEY});
    create table if not exists events (
      position bigint generated always as identity primary key,
      stream text collate "C" not null,
      revision int not null check (revision >= 0),
      type text collate "C" not null,
      id uuid not null,
      created timestamptz not null default clock_timestamp(),
      data text not null
    );
    create unique index if not exists events_stream_revision on events (stream, revision);
  end $$;
`;

/**
 * Creates the event log where it is missing, as the role that is to own it. May run again and in several processes at
 * once; where the log exists it holds up no append.
 */
export async function migrateEventLog(runner: { query(sql: string): Promise<unknown> }): Promise<void> {
  await runner.query(CREATE_EVENT_LOG);
}
