import { setTimeout as pause } from 'node:timers/promises';
import { LIMITS } from '@settle/config';
import { LedgerLab } from '../../test/ledger-lab/ledger-lab.fixture.js';
import { person } from '../../test/ledger-lab/people.fixture.js';
import { listReadModels } from './list-read-models.js';

const { countMs, quietMs } = LIMITS.operators;

describe('the list of read models', () => {
  let lab: LedgerLab;
  beforeEach(async () => (lab = await LedgerLab.open()));
  afterEach(() => lab.close());

  it('given events that arrive all the time, when the read models are listed, then the list ends and says how many wait', async () => {
    const instance = await lab.instance();
    const payer = person();
    await lab.know(payer);
    let isListed = false;
    const paying = (async () => {
      const since = performance.now();
      while (!isListed && performance.now() - since < 5 * countMs) {
        await instance.fund(payer, 1);
        await pause(quietMs / 10);
      }
    })();
    const list = await listReadModels(instance.store, lab.pool, 'public');
    const wasPaying = await Promise.race([paying.then(() => false), pause(0, true)]);
    isListed = true;
    await paying;
    expect([wasPaying, list]).toEqual([true, expect.stringMatching(/ledger_entries .* about \d+$/m)]);
    expect(await listReadModels(instance.store, lab.pool, 'public')).toMatch(/ledger_entries .* 0$/m);
  });
});
