import type { UserRecord } from '@settle/contracts';
import { altered } from '../../test/ledger-lab/altered-store.fixture.js';
import { LedgerLab, type LabInstance } from '../../test/ledger-lab/ledger-lab.fixture.js';
import { rebuildParts } from '../../test/ledger-lab/rebuild-parts.fixture.js';
import { person } from '../../test/ledger-lab/people.fixture.js';
import { READ_MODEL_NAMES } from '../read-models/registry.js';
import { rebuildReadModels } from './rebuild.js';

const PAYERS = 32;
const FUNDS_CENTS = 10_000_000;

describe('a rebuild beside payments at full speed', () => {
  let lab: LedgerLab;
  let instance: LabInstance;
  const crowd: readonly UserRecord[] = Array.from({ length: PAYERS }, () => person());
  let isOver = false;
  let paid = 0;

  beforeEach(async () => {
    lab = await LedgerLab.open();
    instance = await lab.instance();
    await lab.know(...crowd);
    for (const who of crowd) await instance.fund(who, FUNDS_CENTS);
  });
  afterEach(async () => {
    isOver = true;
    await lab.close();
  });

  /** Each payer sends the next payment as soon as the one before is answered. */
  async function payWithoutPause(): Promise<void> {
    await Promise.all(
      crowd.map(async (payer, index) => {
        const payee = crowd[(index + 1) % PAYERS] ?? payer;
        while (!isOver) {
          await instance.create(payer, payee);
          paid += 1;
        }
      }),
    );
  }

  it('given payments that are written faster than a rebuild reads, when it runs, then it ends and every row is there', async () => {
    const { store } = instance;
    // Few events in a transaction, so that the rebuild is slower than the live projector.
    const slowly = altered(store, { subscribe: (options) => store.subscribe({ ...options, batchSize: 20 }) });
    const said: string[] = [];
    const paying = payWithoutPause();
    const parts = rebuildParts(lab, slowly, { say: (line) => said.push(line) });
    const order = { models: READ_MODEL_NAMES, environment: 'live', acceptsDifferences: false } as const;
    const { comparisons, switchedAt } = await rebuildReadModels(parts, order).finally(() => (isOver = true));
    await paying;
    expect(comparisons.filter(({ first }) => first !== null)).toEqual([]);
    expect(switchedAt).not.toBeNull();
    expect(said.filter((line) => line.includes('the live read models wait'))).not.toEqual([]);
    expect(paid).toBeGreaterThan(PAYERS);
    await lab.expectInOrder();
  });
});
