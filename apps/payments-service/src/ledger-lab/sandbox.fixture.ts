import type { UserRecord } from '@settle/contracts';
import { eventually } from '@settle/testing';
import { auditReadModels, type AuditReport } from '../audit/audit-read-models.js';
import { storeIn } from '../environments.js';
import type { LabInstance, LedgerLab } from './ledger-lab.fixture.js';

/** What an audit of the sandbox's own ledger says, once its read models show all of it. */
export async function sandboxReport(instance: LabInstance, lab: LedgerLab): Promise<AuditReport> {
  const newest = await lab.pool.query<{ position: string }>(
    `select coalesce(max(position), 0) as position from events where stream like 'sandbox-%'`,
  );
  await eventually(async () => {
    const { position } = instance.ledgers.sandbox.projector.progress();
    expect(position).toBeGreaterThanOrEqual(Number(newest.rows[0]?.position));
  });
  const client = await lab.pool.connect();
  try {
    await client.query('begin isolation level repeatable read read only');
    await client.query('set local search_path to sandbox');
    return await auditReadModels({ store: storeIn('sandbox', instance.store), client });
  } finally {
    await client.query('rollback');
    client.release();
  }
}

/** Rows of a table: of a journal those of a wallet, in their order, and what they move. */
export async function rowsOf(lab: LedgerLab, table: string, wallet?: UserRecord): Promise<unknown[][]> {
  const text =
    wallet === undefined
      ? `select * from ${table}`
      : `select event_type, debit_account, credit_account, amount_cents, balance_cents from ${table}
         where wallet_id = ${wallet.card.id} order by revision`;
  return (await lab.pool.query<unknown[]>({ text, rowMode: 'array' })).rows;
}
