import { createReadStream } from 'node:fs';
import { LIMITS, SettingsError } from '@settle/config';
import { createPool } from '@settle/postgres';
import type { ClientBase } from 'pg';
import { ENVIRONMENT_STORAGE } from '../../storage/environments.js';
import { LEDGER_PREFIXES, readLedgerEvent } from '../../storage/streams.js';
import type { FundingPlace } from '../funding/funding-place.js';
import type { ReconcileOrder } from '../funding/funding-arguments.js';
import { replay, wholeLogOf } from '../replay.js';
import { DONE, FOUND } from '../run-command.js';
import { compareBookings } from './comparison.js';
import { loadStatement } from './load-statement.js';
import { OwnBookings } from './own-bookings.js';
import { sayUnequal } from './say-unequal.js';
import { linesOf } from './statement-lines.js';
import { addOwnFacts, createStatementTables } from './statement-tables.js';
import { Summary } from './summary.js';

const { statementEdgeUs: edgeUs, statementMs } = LIMITS.operators;

/**
 * Compares a provider's statement with the ledger's events and prints what differs. Reads only, and may run while money
 * moves; file and log are streamed. Errors: `MalformedStatement`; the file cannot be read, or the role of the migrations is
 * not set, as which temporary tables are created.
 */
export async function reconcile(place: FundingPlace, { file, report }: ReconcileOrder): Promise<number> {
  const { migrationsDatabaseUrl: url } = place.settings;
  if (url === null) {
    throw new SettingsError(['MIGRATIONS_DATABASE_URL: temporary tables need the role that owns the database']);
  }
  const schemas = [ENVIRONMENT_STORAGE.live.schema];
  const pool = createPool(url, { name: 'payments-reconcile', max: 1, statementTimeoutMs: statementMs, schemas });
  try {
    const client = await pool.connect();
    try {
      return await compare(place, client, { file, report });
    } finally {
      client.release(true);
    }
  } finally {
    await pool.end();
  }
}

async function compare(
  place: FundingPlace,
  client: ClientBase,
  { file, report }: Pick<ReconcileOrder, 'file' | 'report'>,
): Promise<number> {
  await createStatementTables(client);
  const statement = await loadStatement(client, linesOf(createReadStream(file)));
  const { fromUs, toUs } = statement;
  await client.query('analyze statement_rows');
  const own = new OwnBookings(statement);
  const upTo = await place.store.newestPosition();
  const log = { store: wholeLogOf('live', place.store), say: place.say };
  await replay(log, { name: 'ledger', streamPrefixes: LEDGER_PREFIXES, upTo }, async (events) => {
    const facts = events.flatMap((event) => own.take(readLedgerEvent(event)));
    await addOwnFacts(client, facts, { fromUs, toUs, edgeUs });
  });
  const sums = await compareBookings(client, { fromUs, toUs, edgeUs });
  await sayUnequal(place.say, client, report);
  const summary = new Summary(statement, sums, own.outside);
  for (const line of summary.lines()) place.say(line);
  return summary.isEqual ? DONE : FOUND;
}
