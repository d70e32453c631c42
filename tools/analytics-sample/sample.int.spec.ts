import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLedger } from './ledger.mjs';
import { SeededRandom } from './random.mjs';
import { Traffic } from './traffic.mjs';

const DAYS = 4;

/** The lines of the first days of the sample, made on a PostgreSQL of its own. */
async function makeLines(): Promise<readonly string[]> {
  const dataDir = await mkdtemp(join(tmpdir(), 'settle-sample-'));
  const random = new SeededRandom(7);
  const ledger = await openLedger({ dataDir, random });
  try {
    await new Traffic({ ledger, random }).run(DAYS);
    return (await ledger.exportAll()).map(({ line }) => line);
  } finally {
    await ledger.close();
    await rm(dataDir, { recursive: true });
  }
}

describe('the sample for analysts', () => {
  it('given a seed, when its first days are made twice, then both have the same records of payments and of money', async () => {
    const lines = await makeLines();
    const topics = lines.map((line) => (JSON.parse(line) as { topic: string }).topic);
    expect(new Set(topics)).toEqual(new Set(['payments.events.v1', 'ledger.entries.v1']));
    expect(lines.length).toBeGreaterThan(50);
    expect(await makeLines()).toEqual(lines);
  });
});
