import { createHash } from 'node:crypto';
import { DEMO_APP, DEMO_PASSWORD, DEMO_USERS, checkToken } from '@settle/contracts';
import { freshDatabase } from '@settle/testing';
import { PagesBrowser, parseForm } from './pages-browser.fixture.js';
import { signInDemoUser, startAuth, type StartedAuth } from './started-auth.fixture.js';

const QUERY = `client_id=${DEMO_APP.clientId}&scope=make_payments+access_profile&state=a%20b%2Fc%3D%C3%A9`;
const sha256Of = (token: string) => createHash('sha256').update(token).digest('hex');

let auth: StartedAuth;
beforeAll(async () => {
  auth = await startAuth(await freshDatabase());
});
afterAll(() => auth.stop());

const check = (token: string) =>
  auth.client.request(checkToken, { tokenSha256: sha256Of(token) }, { key: 'k', timeoutMs: 2_000 });

/** What the app receives at its redirect address. */
const received = (response: Response) => new URL(response.headers.get('location') ?? '').searchParams;

async function allowed(query = QUERY): Promise<string> {
  const { browser, consentPage } = await signInDemoUser(auth, query);
  const answer = await browser.submit(consentPage, '/v1/oauth/consent', { decision: 'allow' });
  return received(answer).get('access_token') ?? '';
}

describe('the client-side flow', () => {
  // Shows authorize-18
  it('given alice signs in and allows, when the app receives the token, then it opens what she allowed for 30 minutes', async () => {
    const { browser, answer, consentPage } = await signInDemoUser(auth, QUERY);
    expect(answer.status).toBe(303);
    const allow = await browser.submit(consentPage, '/v1/oauth/consent', { decision: 'allow' });
    expect(allow.status).toBe(303);
    const location = allow.headers.get('location') ?? '';
    expect(location.split('?')[0]).toBe(`${auth.settings.publicUrl}${DEMO_APP.redirectPath}`);
    expect([...received(allow).keys()]).toEqual(['access_token', 'state', 'iss']);
    expect(received(allow).get('state')).toBe('a b/c=é');
    expect(received(allow).get('iss')).toBe(auth.settings.publicUrl);
    const grant = await check(received(allow).get('access_token') ?? '');
    expect(grant).toEqual({
      appId: DEMO_APP.clientId,
      userId: DEMO_USERS.alice.id,
      scopes: ['make_payments', 'access_profile'],
      expiresAtMs: expect.any(Number) as number,
    });
    const lifeMs = grant.expiresAtMs - Date.now();
    expect(lifeMs).toBeGreaterThan(29 * 60_000);
    expect(lifeMs).toBeLessThanOrEqual(30 * 60_000);
  });

  // Shows authorize-20
  it('given the consent page, when read, then it names app, scopes, lifetime and where it leads', async () => {
    const { consentPage } = await signInDemoUser(auth, QUERY);
    expect(consentPage).toContain(DEMO_APP.name);
    expect(consentPage).toContain('Pay and charge people in your name');
    expect(consentPage).toContain('See your profile');
    expect(consentPage).not.toContain('See phone numbers');
    expect(consentPage).toContain('30 minutes');
    expect(consentPage).toContain(`${auth.settings.publicUrl}${DEMO_APP.redirectPath}`);
    expect(consentPage).not.toContain('<script');
  });

  // Shows authorize-21
  it.each([
    ['access_profile', 'token', ['See your profile', 'See your payments and charges', 'See your list of friends']],
    ['make_payments', 'token', ['Pay and charge', 'Approve, deny and cancel', 'See your balance', 'See your payments']],
    ['access_email', 'code', ['See e-mail addresses', 'your name, username, picture and bio, whatever you tick']],
  ])(
    'given %s alone for a %s, when the consent page and the connected apps are read, then they name all it opens',
    async (scope, responseType, words) => {
      const query = `client_id=${DEMO_APP.clientId}&scope=${scope}&response_type=${responseType}&state=words`;
      const { browser, consentPage } = await signInDemoUser(auth, query, 'carol');
      for (const part of words) expect(consentPage).toContain(part);
      await browser.submit(consentPage, '/v1/oauth/consent', { decision: 'allow' });
      const connected = await (await browser.get('/account/apps')).text();
      for (const part of words.filter((one) => !one.startsWith('your name'))) expect(connected).toContain(part);
      expect(connected).not.toContain('See phone numbers');
      const { app } = parseForm(connected, '/account/apps/revoke').fields;
      await browser.submit(connected, '/account/apps/revoke', { app: app! });
    },
  );

  it('given alice denies, when sent back, then the app learns access_denied and the state, and no token', async () => {
    const { browser, consentPage } = await signInDemoUser(auth, QUERY);
    const deny = await browser.submit(consentPage, '/v1/oauth/consent', { decision: 'deny' });
    expect(deny.status).toBe(303);
    expect(received(deny).get('error')).toBe('access_denied');
    expect(received(deny).get('state')).toBe('a b/c=é');
    expect(received(deny).get('iss')).toBe(auth.settings.publicUrl);
    expect(received(deny).has('access_token')).toBe(false);
  });

  it('given a session that is shown pages without end, when counted, then 20 wait for an answer, the newest among them', async () => {
    const { browser, consentPage } = await signInDemoUser(auth, QUERY);
    let newest = consentPage;
    for (let n = 0; n < 25; n += 1) newest = await (await browser.get(`/v1/oauth/authorize?${QUERY}`)).text();
    const counted =
      'select max(count)::int as most from (select count(*) from consent_requests group by session_sha256) c';
    expect((await auth.pool.query<{ most: number }>(counted)).rows[0]?.most).toBe(20);
    const late = await browser.submit(consentPage, '/v1/oauth/consent', { decision: 'allow' });
    const allowed = await browser.submit(newest, '/v1/oauth/consent', { decision: 'allow' });
    expect([late.status, allowed.status]).toEqual([400, 303]);
  });

  it('given alice allowed before, when the app asks again, then she is asked again', async () => {
    const { browser, consentPage } = await signInDemoUser(auth, QUERY);
    await browser.submit(consentPage, '/v1/oauth/consent', { decision: 'allow' });
    const again = await browser.get(`/v1/oauth/authorize?${QUERY}`);
    expect(again.status).toBe(200);
    expect(await again.text()).toContain('name="decision" value="allow"');
  });

  it.each([
    ['her e-mail in other case', ' Alice@Example.COM '],
    ['her phone as Americans write it', '(415) 555-0101'],
    ['her username in other case', 'ALICE'],
  ])('given %s, when she signs in, then it is she', async (_what, login) => {
    const { consentPage } = await signInDemoUser(auth, QUERY, login);
    expect(consentPage).toContain('signed in as <strong>alice</strong>');
  });

  it('given she says that it is not her, when she signs out, then the session is dead and she is asked to sign in', async () => {
    const { browser, consentPage } = await signInDemoUser(auth, QUERY);
    const before = new Map(browser.cookies);
    const out = await browser.submit(consentPage, '/v1/oauth/sign-out', {});
    expect(out.status).toBe(303);
    for (const [name, value] of before) browser.cookies.set(name, value);
    const page = await (await browser.get(out.headers.get('location') ?? '')).text();
    expect(page).toContain('name="password"');
  });
});

describe('tokens', () => {
  it('given an unknown token, when checked, then it is invalid', async () => {
    await expect(check('nothing')).rejects.toMatchObject({ code: 'invalid_token' });
  });

  // Shows error-27
  it('given a token past its life, when checked, then it is expired', async () => {
    const token = await allowed();
    await auth.pool.query(`update tokens set expires_at = now() where sha256 = decode($1, 'hex')`, [sha256Of(token)]);
    await expect(check(token)).rejects.toMatchObject({ code: 'expired_token' });
  });

  it('given the whole database, when searched, then the token stands in it nowhere', async () => {
    const token = await allowed();
    const { rows } = await auth.pool.query<{ dump: string }>('select row_to_json(t)::text as dump from tokens t');
    expect(rows.length).toBeGreaterThan(0);
    for (const { dump } of rows) expect(dump).not.toContain(token);
  });
});

describe('demo data', () => {
  // Shows friend-21
  it('given the passwords as stored, when read, then they are Argon2id with 19 MiB or more', async () => {
    const { rows } = await auth.pool.query<{ password_hash: string }>('select password_hash from credentials');
    expect(rows).toHaveLength(3);
    for (const row of rows) expect(row.password_hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  });

  it('given the callback page, when it has a token, then it shows it and never keeps it', async () => {
    const token = await allowed();
    const page = await new PagesBrowser(auth.service.url).get(`${DEMO_APP.redirectPath}?access_token=${token}`);
    expect(page.status).toBe(200);
    expect(page.headers.get('cache-control')).toBe('no-store, private');
    expect(page.headers.get('referrer-policy')).toBe('no-referrer');
    const html = await page.text();
    expect(html).toContain(token);
    expect(html).toContain(`${auth.settings.publicUrl}/v1/me`);
  });

  it('given something else in place of the token, when the callback page is shown, then it is not repeated', async () => {
    const page = await new PagesBrowser(auth.service.url).get(`${DEMO_APP.redirectPath}?access_token=${DEMO_PASSWORD}`);
    expect(await page.text()).not.toContain(DEMO_PASSWORD);
  });
});
