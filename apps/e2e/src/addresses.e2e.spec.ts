import { get } from 'node:http';
import { text } from 'node:stream/consumers';
import { DEMO_USERS } from '@settle/contracts';
import { baseUrl, call } from './client.js';
import { newBrowser, authorizeUrl, signIn, loadToken } from './sign-in.js';
import type { WireUser } from './wire.js';

const SCOPE = 'access_profile';

describe('the public addresses of the product', () => {
  const origin = () => new URL(baseUrl()).origin;

  // Shows limit-32
  it('given no token, when / is opened, then a page describes the product and links to the API', async () => {
    const { status, headers, text: page } = await call(`${origin()}/`);
    expect([status, headers.get('content-type')?.split(';')[0]]).toEqual([200, 'text/html']);
    expect(page).toContain(`${origin()}/v1`);
    expect(page).toContain('href="/docs"');
  });

  // Shows limit-31
  it('given the reference, when the guides are opened, then they are served', async () => {
    const titles = { interface: '# API reference', sandbox: '# The sandbox' };
    for (const [page, title] of Object.entries(titles)) {
      const { status, text: rules } = await call(`${origin()}/docs/${page}.md`);
      expect([status, rules.split('\n')[0]]).toEqual([200, title]);
    }
  });

  // Shows user-7
  it('given a user without a picture, when the picture URL is fetched, then a generated drawing is returned', async () => {
    const token = await loadToken('alice', [SCOPE]);
    const { body } = await call<WireUser>(`/users/${DEMO_USERS.carol.id}`, { token });
    const link = new URL(body.data.profile_picture_url);
    const picture = await fetch(link);
    expect([link.origin, picture.status, picture.headers.get('content-type')]).toEqual([
      origin(),
      200,
      expect.stringMatching(/^image\/svg\+xml/),
    ]);
  });

  // Shows limit-28
  it('given a request that names another host, when the response is read, then its links use the public address', async () => {
    const token = await loadToken('alice', ['make_payments']);
    for (let made = 0; made < 2; made += 1) {
      const form = { user_id: DEMO_USERS.bob.id, note: 'host', amount: '0.01' };
      await call('/payments', { method: 'POST', token, form });
    }
    const headers = { host: 'evil.example', 'x-forwarded-host': 'evil.example', authorization: `Bearer ${token}` };
    const response = await new Promise<string>((resolve, reject) => {
      get(`${baseUrl()}/payments?limit=1`, { headers }, (response) => resolve(text(response))).on('error', reject);
    });
    const { pagination } = JSON.parse(response) as { pagination: { next: string } };
    expect(new URL(pagination.next).origin).toBe(origin());
    expect(response).not.toContain('evil');
  });

  // Shows authorize-17
  it('given each way an authorization request can end, when the app is redirected, then the redirect names the issuer', async () => {
    const browser = newBrowser();
    const denied = await browser.submit(await signIn(browser, 'bob', { scope: SCOPE }), {}, 'Deny');
    const allowed = await browser.submit(await browser.open(authorizeUrl({ scope: SCOPE })), {}, 'Allow');
    const faulty = await browser.open(authorizeUrl({ scope: 'everything' }));
    const issuers = [denied, allowed, faulty].map(({ url }) => url.searchParams.get('iss'));
    expect(issuers).toEqual([origin(), origin(), origin()]);
    expect(allowed.url.searchParams.has('access_token')).toBe(true);
  });

  // Shows request-46
  it('given a script of another origin, when it sends a preflight request, then nothing is allowed', async () => {
    const headers = { origin: 'https://evil.example', 'access-control-request-method': 'POST' };
    for (const method of ['OPTIONS', 'GET']) {
      const { headers: told } = await call('/payments', { method, headers });
      expect([method, told.get('access-control-allow-origin')]).toEqual([method, null]);
    }
  });

  // Shows limit-12
  it('given a product without rate limits, when a request is sent, then the response has no rate limit headers', async () => {
    const { headers } = await call('/me', { token: await loadToken('alice', [SCOPE]) });
    const told = ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'].map((name) => headers.get(name));
    expect(told).toEqual([null, null, null]);
  });
});
