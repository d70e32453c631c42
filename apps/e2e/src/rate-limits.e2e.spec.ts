import { type Answer, call } from './client.js';
import { ownProduct } from './own-product.js';
import { tokenFor } from './sign-in.js';

/** The stack under test has two, and each counts for itself. */
const MOST_GATEWAYS = 2;
const TOKEN_BURST = 10;
const ADDRESS_BURST = 150;

describe('a product that tells callers to slow down', () => {
  const product = ownProduct({
    RATE_LIMITS: 'on',
    RATE_LIMIT_TOKEN_PER_SECOND: '1',
    RATE_LIMIT_TOKEN_BURST: String(TOKEN_BURST),
    RATE_LIMIT_ADDRESS_PER_SECOND: '1',
    RATE_LIMIT_ADDRESS_BURST: String(ADDRESS_BURST),
  });

  beforeAll(() => product.start(), 120_000);
  afterAll(() => product.close(), 60_000);

  /** How many passed of so many that were sent one after the other, how long that took, and the first refusal. */
  const sendInTurn = async (count: number, send: () => Promise<Answer<unknown>>) => {
    const beganAtMs = performance.now();
    let passed = 0;
    let refusal: Answer<unknown> | null = null;
    for (let sent = 0; sent < count; sent += 1) {
      const answer = await send();
      if (answer.status === 429) refusal ??= answer;
      else passed += 1;
    }
    return { passed, refusal, tookSeconds: (performance.now() - beganAtMs) / 1_000 };
  };

  const expectRefusal = (refusal: Answer<unknown> | null, burst: number) => {
    expect(refusal?.body.error.code).toBe('rate_limited');
    const headers = ['ratelimit-limit', 'ratelimit-remaining', 'retry-after'].map((name) => refusal?.headers.get(name));
    expect(headers).toEqual([String(burst), '0', '1']);
  };

  it('given one token, when it asks more often than it may, then its burst passes and the rest is refused', async () => {
    const [busy, quiet] = [await tokenFor('alice', ['access_profile']), await tokenFor('bob', ['access_profile'])];
    const first = await call('/me', { token: busy });
    expect(first.headers.get('ratelimit-remaining')).toBe(String(TOKEN_BURST - 1));
    const { passed, refusal, tookSeconds } = await sendInTurn(40, () => call('/me', { token: busy }));
    expect(passed).toBeGreaterThanOrEqual(TOKEN_BURST - 1);
    expect(passed).toBeLessThanOrEqual((TOKEN_BURST + tookSeconds + 1) * MOST_GATEWAYS);
    expectRefusal(refusal, TOKEN_BURST);
    expect((await call('/me', { token: quiet })).status).toBe(200);
  });

  it('given one address, when it asks more often than it may, then its burst passes and the rest is refused', async () => {
    const { passed, refusal, tookSeconds } = await sendInTurn(MOST_GATEWAYS * ADDRESS_BURST, () => call('/me'));
    expect(passed).toBeGreaterThan(0);
    expect(passed).toBeLessThanOrEqual((ADDRESS_BURST + tookSeconds + 1) * MOST_GATEWAYS);
    expectRefusal(refusal, ADDRESS_BURST);
  });
});
