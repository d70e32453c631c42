import { randomUUID } from 'node:crypto';
import { DEMO_USERS } from '@settle/contracts';
import { type ApiResponse, call } from './client.js';
import { pageHref, openSignedInBrowser } from './developer.js';
import { submitSignUp } from './sign-up.js';
import { prepareDedicatedProduct } from './dedicated-product.js';
import { unknownEmail } from './users.js';
import { newBrowser, loadToken } from './sign-in.js';
import type { WireMe, WireUser } from './wire.js';

/** The stack under test has two, and each counts separately. */
const MOST_GATEWAYS = 2;
const TOKEN_BURST = 10;
const ADDRESS_BURST = 150;

describe('a product that limits callers, without development tools', () => {
  const product = prepareDedicatedProduct({
    RATE_LIMITS: 'on',
    RATE_LIMIT_TOKEN_PER_SECOND: '1',
    RATE_LIMIT_TOKEN_BURST: String(TOKEN_BURST),
    RATE_LIMIT_ADDRESS_PER_SECOND: '1',
    RATE_LIMIT_ADDRESS_BURST: String(ADDRESS_BURST),
    CONTACT_VISIBILITY: 'self',
    TRUSTED_PROXIES: '0',
    DEV_TOOLS: 'false',
  });

  beforeAll(() => product.start(), 120_000);
  afterAll(() => product.close(), 60_000);

  /** Sends so many requests one after the other. Returns how many were accepted, the duration, and the first rejection. */
  const sendInTurn = async (count: number, send: () => Promise<ApiResponse<unknown>>) => {
    const beganAtMs = performance.now();
    let passed = 0;
    let refusal: ApiResponse<unknown> | null = null;
    for (let sent = 0; sent < count; sent += 1) {
      const response = await send();
      if (response.status === 429) refusal ??= response;
      else passed += 1;
    }
    return { passed, refusal, tookSeconds: (performance.now() - beganAtMs) / 1_000 };
  };

  const expectRefusal = (refusal: ApiResponse<unknown> | null, burst: number) => {
    expect(refusal?.body.error.code).toBe('rate_limited');
    const headers = ['ratelimit-limit', 'ratelimit-remaining', 'retry-after'].map((name) => refusal?.headers.get(name));
    expect(headers).toEqual([String(burst), '0', '1']);
  };

  // Shows user-15
  it('given contacts that only their owner may see, when a friend and the owner read them, then only the owner gets them', async () => {
    const token = await loadToken('alice');
    const { data: friend } = (await call<WireUser>(`/users/${DEMO_USERS.bob.id}`, { token })).body;
    const { data: own } = (await call<WireMe>('/me', { token })).body;
    expect([friend.is_friend, friend.email, friend.phone]).toEqual([true, null, null]);
    expect([own.user.email, own.user.phone]).toEqual([DEMO_USERS.alice.email, DEMO_USERS.alice.phone]);
  });

  // Shows friend-10, friend-29, demo-10
  it('given no payment provider and no mail server, when one is needed, then the status is 503 and the page says why', async () => {
    const browser = await openSignedInBrowser('alice');
    const cards = await browser.open(pageHref('/account/funding'));
    expect(cards.html).not.toContain('card_number');
    const fields = cards.forms.find(({ action }) => action.startsWith('/account/funding'))?.fields;
    const begun = new URLSearchParams({ ...fields, source_key: `src-${randomUUID()}`, for_payments: 'yes' });
    const refused = await browser.send(new URL(pageHref('/account/funding/sources')), 'POST', begun);
    for (const page of [cards, refused]) expect(page.html).toContain('No payment provider is connected');
    expect(refused.status).toBe(503);
    const mute = await submitSignUp(newBrowser(), { email: unknownEmail() });
    expect([mute.status, mute.html.includes('SMTP_URL')]).toEqual([503, true]);
    expect((await call(pageHref('/dev/mailbox'))).status).toBe(404);
  });

  // Shows error-41, limit-4, limit-8
  it('given one token, when it sends more requests than its limit, then its burst passes and the rest is rejected', async () => {
    const [busy, quiet] = [await loadToken('alice', ['access_profile']), await loadToken('bob', ['access_profile'])];
    const first = await call('/me', { token: busy });
    expect(first.headers.get('ratelimit-remaining')).toBe(String(TOKEN_BURST - 1));
    const { passed, refusal, tookSeconds } = await sendInTurn(40, () => call('/me', { token: busy }));
    expect(passed).toBeGreaterThanOrEqual(TOKEN_BURST - 1);
    expect(passed).toBeLessThanOrEqual((TOKEN_BURST + tookSeconds + 1) * MOST_GATEWAYS);
    expectRefusal(refusal, TOKEN_BURST);
    expect((await call('/me', { token: quiet })).status).toBe(200);
  });

  // Shows limit-9, limit-25
  it('given one address, when it sends more requests than its limit, then its burst passes and the rest is rejected', async () => {
    let sent = 0;
    // No proxy is trusted here, so that a client cannot claim another address.
    const elsewhere = () => call('/me', { headers: { 'x-forwarded-for': `192.0.2.${(sent += 1) % 250}` } });
    const { passed, refusal, tookSeconds } = await sendInTurn(MOST_GATEWAYS * ADDRESS_BURST, elsewhere);
    expect(passed).toBeGreaterThan(0);
    expect(passed).toBeLessThanOrEqual((ADDRESS_BURST + tookSeconds + 1) * MOST_GATEWAYS);
    expectRefusal(refusal, ADDRESS_BURST);
  });
});
