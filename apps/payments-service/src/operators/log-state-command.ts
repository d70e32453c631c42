import { LIMITS } from '@settle/config';
import { createPool } from '@settle/postgres';
import { readLogState } from './log-state.js';
import { DONE, runCommand, say } from './run-command.js';

/** For `npm run backup` and `npm run restore`: prints one line of JSON. */
await runCommand('log-state', async ({ settings, databaseUrl, store }) => {
  const [action, stream = '', revision = '', id = '', position = ''] = process.argv.slice(2);
  if (action === 'holds') {
    const read = { direction: 'forwards', fromRevision: Number(revision), limit: 1 } as const;
    const [event] = await store.readStream(stream, read);
    say(String(event?.id === id && event.revision === Number(revision) && event.position === Number(position)));
    return DONE;
  }
  const { poolConnections: max, statementMs: statementTimeoutMs } = LIMITS.operators;
  const pool = createPool(databaseUrl, { max, name: 'payments-log-state', statementTimeoutMs });
  try {
    say(JSON.stringify(await readLogState(pool, store, settings.eventStore.kind)));
  } finally {
    await pool.end();
  }
  return DONE;
});
