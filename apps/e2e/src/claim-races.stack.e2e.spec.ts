import { expectOneClaim } from './claim-race.fixture.js';
import { FATES, ROUNDS, isLong } from './hold-up.fixture.js';
import { processesAsVictim } from './running-stack.fixture.js';

const PROCESSES = ['payments-1', 'payments-2', 'payments-3'];

describe('payments-service, killed while a claim is being stored', () => {
  // Shows act-38
  it.each(FATES.filter((fate) => isLong || fate === 'undone'))(
    'given 20 tries of two people, when every instance is killed and the claim is %s, then the money comes to one, once',
    async (fate) => {
      for (let round = 0; round < ROUNDS; round += 1) await expectOneClaim(await processesAsVictim(...PROCESSES), fate);
    },
    ROUNDS * 120_000,
  );
});
