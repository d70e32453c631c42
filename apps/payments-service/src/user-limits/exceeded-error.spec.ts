import type { UserLimits } from '@settle/config';
import { exceededError, rateLimited } from './exceeded-error.js';

const LIMITS = { amountPerDayCents: 1_250_05 } as UserLimits;

describe('the messages of exceeded limits', () => {
  it('given a payment above the amount of its app, when it is refused, then the message shows the amount in dollars', () => {
    const use = { counter: 'app:1', amount: 1_01, limit: 1_00 } as const;
    expect(exceededError(use, LIMITS).message).toMatch(/^This app may move at most \$1\.00 out of this wallet /);
  });

  it('given a payment above the amount of its user, when it is refused, then the message shows the amount in dollars', () => {
    expect(rateLimited('amountPerDayCents', LIMITS).message).toMatch(
      /^This payment exceeds the \$1250\.05 that you may /,
    );
  });
});
