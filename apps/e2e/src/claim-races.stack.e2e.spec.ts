import { expectOneClaim } from './claim-race.fixture.js';
import { STATEMENT_OUTCOMES, ROUNDS, isLong } from './blocking-transaction.fixture.js';
import { selectProcesses } from './running-stack.fixture.js';

const PROCESSES = ['payments-1', 'payments-2', 'payments-3'];

describe('payments-service, killed while a claim is being stored', () => {
  // Shows act-38
  it.each(STATEMENT_OUTCOMES.filter((outcome) => isLong || outcome === 'rolled back'))(
    'given 20 attempts of two users, when every instance is killed and the claim is %s, then one of them gets the money once',
    async (outcome) => {
      for (let round = 0; round < ROUNDS; round += 1)
        await expectOneClaim(await selectProcesses(...PROCESSES), outcome);
    },
    ROUNDS * 120_000,
  );
});
