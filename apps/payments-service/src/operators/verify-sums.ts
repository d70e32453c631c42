import { LIMITS } from '@settle/config';
import { START } from '@settle/event-store';
import { readCheckpoint } from '../projection/checkpoints.js';
import type { SumsProjection } from '../read-models/projection.js';
import { PROJECTIONS } from '../read-models/registry.js';
import { addSums, type SumRow } from '../read-models/sums-projection.js';
import { readPaymentChanges } from '../storage/payment-changes.js';
import { replay } from './replay.js';
import { RowComparison, describe } from './row-comparison.js';
import type { VerifiedLedger } from './verify-ledger.js';

const { verifyBatch, nearMs, catchUps, recordsHeld } = LIMITS.operators;

/**
 * Compares every read model of sums with the sums that follow from the events. Keeps the sums of at most `recordsHeld` rows:
 * for a larger table the log is read several times, for a part of the rows each time.
 */
export async function verifySums(verified: VerifiedLedger): Promise<void> {
  for (const projection of PROJECTIONS) {
    if (projection.kind !== 'sums') continue;
    const { rows } = await verified.client.query<{ rows: string }>(
      `select count(*) as rows from ${projection.table.name}`,
    );
    const parts = Math.max(1, Math.ceil(Number(rows[0]?.rows) / recordsHeld));
    for (let part = 0; part < parts; part += 1) await new ExpectedSums(verified, projection, { part, parts }).compare();
  }
}

/** One part of the rows of a read model of sums. */
class ExpectedSums {
  readonly #sums = new Map<string, SumRow>();
  #position = START;

  constructor(
    private readonly verified: VerifiedLedger,
    private readonly projection: SumsProjection,
    private readonly share: { readonly part: number; readonly parts: number },
  ) {}

  async compare(): Promise<void> {
    const { client, atOneMoment } = this.verified;
    const { name } = this.projection;
    for (let turn = 0, tookMs = Infinity; turn < catchUps && tookMs > nearMs; turn += 1) {
      const sinceMs = performance.now();
      await this.#goTo(await readCheckpoint(client, name));
      tookMs = performance.now() - sinceMs;
    }
    await atOneMoment(async () => {
      await this.#goTo(await readCheckpoint(client, name));
      await this.#compareRows();
    });
  }

  async #goTo(upTo: number): Promise<void> {
    if (upTo < this.#position) throw new Error('The read models went back while they were compared: verify again');
    const { store, say } = this.verified;
    const { name, streamPrefixes, sumsOf, table } = this.projection;
    const key = Object.keys(table.key);
    const [first = ''] = key;
    const onPosition = (position: number) => say(`${name}: position ${position} of ${upTo}`);
    await replay(store, { streamPrefixes, after: this.#position, upTo, onPosition }, async (events) => {
      const sums = sumsOf((await readPaymentChanges(store, events)).flat());
      addSums(
        this.#sums,
        sums.filter((row) => this.#isOfPart(row[first])),
        key,
      );
    });
    this.#position = upTo;
  }

  async #compareRows(): Promise<void> {
    const { client, findings } = this.verified;
    const { table } = this.projection;
    const comparison = new RowComparison(client, table);
    const expected = [...this.#sums.values()];
    for (let first = 0; first < expected.length; first += verifyBatch) {
      for (const difference of await comparison.compare(expected.slice(first, first + verifyBatch))) {
        findings.add('read models', describe(table, difference));
      }
    }
    const isExpected = (key: readonly string[]) => !this.#isOfPart(key[0]) || this.#sums.has(key.join(':'));
    const other = await comparison.findOther(isExpected);
    if (other !== null) findings.add('read models', `${table.name} ${other}: not from an event`);
  }

  #isOfPart(first: string | number | undefined): boolean {
    const { part, parts } = this.share;
    return Number(BigInt(first ?? 0) % BigInt(parts)) === part;
  }
}
