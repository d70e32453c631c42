import { sleep } from '@settle/concurrency';
import type { Client } from 'pg';
import { APPEND_LOCK_KEY } from './event-log.migration.js';
import type { EventStoreLimits } from './limits.js';

/**
 * Sessions that hold the append lock and wait for the rest of their message, if this role may end them; the state of other
 * sessions is hidden. An open transaction of an operator is idle, so it does not match.
 */
const STALLED = `
  from pg_locks l join pg_stat_activity a on a.pid = l.pid
  where l.locktype = 'advisory' and l.granted and l.objsubid = 1
    and l.database = (select oid from pg_database where datname = current_database())
    and l.classid = (${APPEND_LOCK_KEY}::bigint >> 32)::oid
    and l.objid = (${APPEND_LOCK_KEY}::bigint & 4294967295)::oid
    and a.state = 'active' and a.wait_event_type = 'Client' and a.wait_event = 'ClientRead'
    and a.query_start <= clock_timestamp() - $1 * interval '1 millisecond'
    and pg_has_role(a.usesysid, 'usage')`;

/** Identifies a process and the message that it handles. */
const ACTIVE_MESSAGE = `a.pid || ' ' || a.query_start`;

const FIND = { name: 'event-store-find-stalled', text: `select ${ACTIVE_MESSAGE} as message ${STALLED}` };
const END = {
  name: 'event-store-end-stalled',
  text: `select pg_terminate_backend(a.pid) ${STALLED} and ${ACTIVE_MESSAGE} = any ($2)`,
};

/**
 * Ends a session that holds the append lock while it waits for its client, for example because the network drops packets
 * in the middle of a message; PostgreSQL has no timeout for that wait. A writer calls this after it has waited
 * `appendLockMs` for the lock. Returns whether a session was ended; its append is rolled back.
 */
export async function endStalledAppend(client: Client, limits: EventStoreLimits): Promise<boolean> {
  const { appendLockMs, stalledRecheckMs } = limits;
  const { rows } = await client.query<{ message: string }>({ ...FIND, values: [appendLockMs] });
  if (rows.length === 0) return false;
  // The session of a live client continues during this pause.
  await sleep(stalledRecheckMs);
  const { rowCount } = await client.query({ ...END, values: [appendLockMs, rows.map(({ message }) => message)] });
  return (rowCount ?? 0) > 0;
}
