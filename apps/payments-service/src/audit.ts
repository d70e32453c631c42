import { LIMITS, SettingsError, readSettings } from '@settle/config';
import { createPool } from '@settle/postgres';
import { auditReadModels, type AuditReport } from './audit/audit-read-models.js';
import { openEventStore } from './open-event-store.js';

const FOUND_FAULTS = 1;
const COULD_NOT_LOOK = 2;

/**
 * `node dist/audit.js`: are the read models what the events say, and is every cent accounted for? Reads only, and may
 * run while money moves. Settings: `DATABASE_URL` (the payments service's own database), `EVENT_STORE`,
 * `EVENTSTORE_URL`. Prints an `AuditReport` as JSON. Ends with 0 when all is in order, 1 when something is not, 2 when
 * it could not look.
 */
async function main(): Promise<number> {
  const settings = readSettings(process.env);
  const { databaseUrl } = settings;
  if (databaseUrl === null) throw new SettingsError(['DATABASE_URL: it is needed here and not set']);
  const store = await openEventStore({ settings, databaseUrl, isShared: false });
  const pool = createPool(databaseUrl, {
    max: 1,
    name: 'payments-audit',
    statementTimeoutMs: LIMITS.operators.statementMs,
  });
  let report: AuditReport;
  try {
    const client = await pool.connect();
    try {
      await client.query('begin isolation level repeatable read read only');
      report = await auditReadModels({ store, client });
    } finally {
      client.release(true);
    }
  } finally {
    await Promise.all([store.close(), pool.end()]);
  }
  process.stdout.write(`${JSON.stringify(report)}\n`);
  return report.conserved && report.differences.length === 0 ? 0 : FOUND_FAULTS;
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`The audit could not be made: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = COULD_NOT_LOOK;
}
