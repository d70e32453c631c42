import { expectOneClaim } from './claim-race.fixture.js';
import { STATEMENT_OUTCOMES, ROUNDS } from './blocking-transaction.fixture.js';
import { prepareDedicatedProduct } from './dedicated-product.js';
import type { KillTarget } from './running-stack.fixture.js';
import { GRANT_KILLS, expectOneFamily } from './token-races.fixture.js';

describe('a product that is killed while many clients race', () => {
  // Without leeway a refresh token works once, so that only one of many clients may win.
  const product = prepareDedicatedProduct({ REFRESH_LEEWAY: '0' });
  const target: KillTarget = { kill: () => product.kill(), back: () => product.start() };

  beforeAll(() => product.start(), 120_000);
  afterAll(() => product.close(), 60_000);

  // Shows token-8, token-27
  it.each(GRANT_KILLS)(
    'given 50 clients who %s, when it is killed %s, then at most one gets tokens and they are revoked',
    async (grant, kill) => {
      for (let round = 0; round < ROUNDS; round += 1) await expectOneFamily(grant, kill, target);
    },
    ROUNDS * 120_000,
  );

  // Shows act-38
  it.each(STATEMENT_OUTCOMES)(
    'given 20 attempts of two users to verify an address, when it is killed and the claim is %s, then one of them gets the money once',
    async (outcome) => {
      for (let round = 0; round < ROUNDS; round += 1) await expectOneClaim(target, outcome);
    },
    ROUNDS * 120_000,
  );
});
