import { sleep } from '@settle/concurrency';
import { LIMITS } from '@settle/config';
import type { UserRecord } from '@settle/contracts';
import type { EventStore } from '@settle/event-store';
import { eventually } from '@settle/testing';
import { altered } from '../../test/ledger-lab/altered-store.fixture.js';
import { LedgerLab, type LabInstance } from '../../test/ledger-lab/ledger-lab.fixture.js';
import { rebuildParts } from '../../test/ledger-lab/rebuild-parts.fixture.js';
import { person } from '../../test/ledger-lab/people.fixture.js';
import { READ_MODEL_NAMES } from '../read-models/registry.js';
import { rebuildReadModels } from './rebuild.js';

const PAYERS = 32;
const FUNDS_CENTS = 10_000_000;
const BATCH_EVENTS = 20;

/**
 * Few events in a transaction; and the first of them waits until as much has been written as there was, so that the rebuild
 * is further behind after its first turn than before it, however fast the machine is.
 */
function outpaced(store: EventStore): EventStore {
  let isFirst = true;
  const fallBehind = async () => {
    if (!isFirst) return;
    isFirst = false;
    const end = await store.newestPosition();
    // A shorter turn ends near the live read models, whatever is written meanwhile.
    await sleep(LIMITS.operators.nearMs);
    await eventually(async () => expect(await store.newestPosition()).toBeGreaterThan(2 * end));
  };
  const handling = (handle: Parameters<EventStore['subscribe']>[0]['handle']): typeof handle => {
    return async (events, upTo) => {
      await fallBehind();
      await handle(events, upTo);
    };
  };
  return altered(store, {
    subscribe: (options) => store.subscribe({ ...options, batchSize: BATCH_EVENTS, handle: handling(options.handle) }),
  });
}

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
    const said: string[] = [];
    const paying = payWithoutPause();
    const parts = rebuildParts(lab, outpaced(store), { say: (line) => said.push(line) });
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
