import type { UserRecord } from '@settle/contracts';
import { eventually } from '@settle/testing';
import { wholeLogOf } from '../../src/operators/replay.js';
import { Findings } from '../../src/operators/findings.js';
import { snapshotsOf } from '../../src/operators/snapshots.js';
import { verifyLedger, type LedgerSums } from '../../src/operators/verify-ledger.js';
import type { LabInstance, LedgerLab } from './ledger-lab.fixture.js';

/** Waits until the sandbox's read models show all of it. */
export async function sandboxShown(instance: LabInstance, lab: LedgerLab): Promise<void> {
  const newest = await lab.pool.query<{ position: string }>(
    `select coalesce(max(position), 0) as position from events where stream like 'sandbox-%'`,
  );
  await eventually(async () => {
    const { position } = instance.ledgers.sandbox.projector.progress();
    expect(position).toBeGreaterThanOrEqual(Number(newest.rows[0]?.position));
  });
}

/** Counts the sandbox's own ledger over and expects to find nothing. */
export async function expectSandboxInOrder(instance: LabInstance, lab: LedgerLab): Promise<LedgerSums> {
  await sandboxShown(instance, lab);
  const findings = new Findings();
  const client = await lab.pool.connect();
  try {
    await client.query('set search_path to sandbox');
    const store = wholeLogOf('sandbox', instance.store);
    const sums = await verifyLedger({
      store,
      client,
      atOneMoment: snapshotsOf(client),
      findings,
      say: () => undefined,
    });
    expect(findings.list().filter(({ first }) => first !== null)).toEqual([]);
    expect(sums.walletCents + sums.transitCents + sums.feeCents).toBe(sums.fundingCents);
    return sums;
  } finally {
    client.release(true);
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
