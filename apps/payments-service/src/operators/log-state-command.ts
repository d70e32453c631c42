import { TOPICS, type LogEvent, type LogState } from '@settle/contracts';
import type { Pool } from 'pg';
import { START } from '@settle/event-store';
import { PROJECTION, readCheckpoint } from '../projection/checkpoints.js';
import { readCheckpointWithEvent } from '../projection/lost-events.js';
import { ENVIRONMENT_STORAGE } from '../storage/environments.js';
import { DONE, runCommand, say } from './run-command.js';

async function newestInPostgres(pool: Pool): Promise<LogEvent | null> {
  const { rows } = await pool.query<{ position: string; id: string; stream: string; revision: number }>(
    'select position, id, stream, revision from public.events order by position desc limit 1',
  );
  const [row] = rows;
  return row === undefined ? null : { ...row, position: Number(row.position) };
}

async function readLogState(pool: Pool, eventStore: LogState['eventStore']): Promise<LogState> {
  const { schema } = ENVIRONMENT_STORAGE.live;
  // Before the newest event, so that the log has everything that the read models have.
  const { position: checkpoint, event } = await readCheckpointWithEvent(pool, { schema });
  const sandboxCheckpoint = await readCheckpoint(pool, PROJECTION, ENVIRONMENT_STORAGE.sandbox.schema);
  const published = await readCheckpoint(pool, TOPICS.paymentsEvents, schema);
  const newestEvent = eventStore === 'postgres' ? await newestInPostgres(pool) : event;
  // Without it a restore could not tell whether EventStoreDB has all events.
  if (newestEvent === null && checkpoint > START) {
    throw new Error('The read models do not name their newest event: run npm run projections -- rebuild all first');
  }
  return { eventStore, newestEvent, checkpoint, sandboxCheckpoint, published };
}

/** For `npm run backup` and `npm run restore`: prints one line of JSON. */
await runCommand('log-state', async ({ settings, store, openPool }) => {
  const [action, stream = '', revision = '', id = '', position = ''] = process.argv.slice(2);
  if (action === 'holds') {
    const read = { direction: 'forwards', fromRevision: Number(revision), limit: 1 } as const;
    const [event] = await store.readStream(stream, read);
    say(String(event?.id === id && event.revision === Number(revision) && event.position === Number(position)));
  } else {
    say(JSON.stringify(await readLogState(openPool('live'), settings.eventStore.kind)));
  }
  return DONE;
});
