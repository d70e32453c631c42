import { ROUNDS, isLong } from './hold-up.fixture.js';
import { processesAsVictim } from './running-stack.fixture.js';
import { GRANT_KILLS, expectOneFamily } from './token-races.fixture.js';

/** Here a refresh token may be used again for a while. The short form leaves out what the embedded shape shows in less time. */
const rows = GRANT_KILLS.filter(([grant, kill]) => grant === 'redeem one code' && (isLong || kill.startsWith('half')));

describe('auth-service, killed while many race for one thing', () => {
  // Shows token-8
  it.each(rows)(
    'given 50 who %s, when it is killed %s, then at most one has tokens, and they are dead',
    async (grant, kill) => {
      for (let round = 0; round < ROUNDS; round += 1) {
        await expectOneFamily(grant, kill, await processesAsVictim('auth-1'));
      }
    },
    ROUNDS * 120_000,
  );
});
