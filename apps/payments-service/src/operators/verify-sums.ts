import { LIMITS } from '@settle/config';
import type { SumsProjection } from '../read-models/projection.js';
import { PROJECTIONS } from '../read-models/registry.js';
import { addSums, type SumRow } from '../read-models/sums-projection.js';
import { readPaymentChanges } from '../storage/payment-changes.js';
import { CheckpointReplay } from './replay.js';
import { RowComparison, countRows, describe } from './row-comparison.js';
import type { VerifiedLedger } from './verify-ledger.js';

const { verifyBatch, recordsHeld } = LIMITS.operators;

/**
 * Compares every read model of sums with the sums that follow from the events. Keeps the sums of at most `recordsHeld` rows:
 * for a larger table the log is read several times, for a part of the rows each time.
 */
export async function verifySums(verified: VerifiedLedger): Promise<void> {
  for (const projection of PROJECTIONS) {
    if (projection.kind !== 'sums') continue;
    const parts = Math.max(1, Math.ceil((await countRows(verified.client, projection.table)) / recordsHeld));
    for (let part = 0; part < parts; part += 1) {
      const isOfPart = (first: string | number = 0) => Number(BigInt(first) % BigInt(parts)) === part;
      await comparePart(verified, projection, isOfPart);
    }
  }
}

/** @param isOfPart returns whether a row with this first value of its key is of the part that is compared */
async function comparePart(
  verified: VerifiedLedger,
  projection: SumsProjection,
  isOfPart: (first: string | number | undefined) => boolean,
): Promise<void> {
  const { store, client, findings } = verified;
  const { table, sumsOf } = projection;
  const key = Object.keys(table.key);
  const sums = new Map<string, SumRow>();
  const replay = new CheckpointReplay(verified, projection, async (events) => {
    const added = sumsOf((await readPaymentChanges(store, events)).flat());
    addSums(
      sums,
      added.filter((row) => isOfPart(row[key[0] ?? ''])),
      key,
    );
  });
  await replay.catchUp();
  await replay.atCheckpoint(async () => {
    const comparison = new RowComparison(client, table);
    const expected = [...sums.values()];
    for (let first = 0; first < expected.length; first += verifyBatch) {
      for (const difference of await comparison.compare(expected.slice(first, first + verifyBatch))) {
        findings.add('read models', describe(table, difference));
      }
    }
    const other = await comparison.findOther((values) => !isOfPart(values[0]) || sums.has(values.join(':')));
    if (other !== null) findings.add('read models', `${table.name} ${other}: not from an event`);
  });
}
