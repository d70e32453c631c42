import { ROUNDS, isLong } from './blocking-transaction.fixture.js';
import { selectProcesses } from './running-stack.fixture.js';
import { GRANT_KILLS, expectOneFamily } from './token-races.fixture.js';

/** Here a refresh token may be reused for a while. The short form leaves out the cases that the embedded shape shows in less time. */
const rows = GRANT_KILLS.filter(([grant, kill]) => grant === 'redeem one code' && (isLong || kill.startsWith('while')));

describe('auth-service, killed while many clients race', () => {
  // Shows token-8
  it.each(rows)(
    'given 50 clients who %s, when it is killed %s, then at most one gets tokens and they are revoked',
    async (grant, kill) => {
      for (let round = 0; round < ROUNDS; round += 1) {
        await expectOneFamily(grant, kill, await selectProcesses('auth-1'));
      }
    },
    ROUNDS * 120_000,
  );
});
