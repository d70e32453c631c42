import { expectOneClaim } from './claim-race.fixture.js';
import { FATES, ROUNDS } from './hold-up.fixture.js';
import { ownProduct } from './own-product.js';
import type { Victim } from './running-stack.fixture.js';
import { GRANT_KILLS, expectOneFamily } from './token-races.fixture.js';

describe('a product that is killed while many race for one thing', () => {
  // A refresh token works once then, so that of many one alone may win.
  const product = ownProduct({ REFRESH_LEEWAY: '0' });
  const victim: Victim = { kill: () => product.kill(), back: () => product.start() };

  beforeAll(() => product.start(), 120_000);
  afterAll(() => product.close(), 60_000);

  // Shows token-8, token-27
  it.each(GRANT_KILLS)(
    'given 50 who %s, when it is killed %s, then at most one has tokens, and they are dead',
    async (grant, kill) => {
      for (let round = 0; round < ROUNDS; round += 1) await expectOneFamily(grant, kill, victim);
    },
    ROUNDS * 120_000,
  );

  // Shows act-38
  it.each(FATES)(
    'given 20 tries of two people to prove an address, when it is killed and the claim is %s, then the money comes to one, once',
    async (fate) => {
      for (let round = 0; round < ROUNDS; round += 1) await expectOneClaim(victim, fate);
    },
    ROUNDS * 120_000,
  );
});
