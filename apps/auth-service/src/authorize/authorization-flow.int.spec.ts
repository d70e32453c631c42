import { createHash } from 'node:crypto';
import { DEMO_APP, DEMO_PASSWORD, DEMO_USERS, checkToken } from '@settle/contracts';
import { freshDatabase } from '@settle/testing';
import { PagesBrowser, parseForm } from '../../test/pages-browser.fixture.js';
import { signInDemoUser, startAuth, type StartedAuth } from '../../test/started-auth.fixture.js';

const QUERY = `client_id=${DEMO_APP.clientId}&scope=make_payments+access_profile&state=a%20b%2Fc%3D%C3%A9`;
const hashToken = (token: string) => createHash('sha256').update(token).digest('hex');

let auth: StartedAuth;
beforeAll(async () => {
  auth = await startAuth(await freshDatabase());
});
afterAll(() => auth.stop());

const check = (token: string) =>
  auth.client.request(checkToken, { tokenSha256: hashToken(token) }, { key: 'k', timeoutMs: 30_000 });

/** Returns the parameters that the app receives at its redirect URI. */
const readResponse = (response: Response) => new URL(response.headers.get('location') ?? '').searchParams;

async function obtainToken(query = QUERY): Promise<string> {
  const { browser, consentPage } = await signInDemoUser(auth, query);
  const response = await browser.submit(consentPage, '/v1/oauth/consent', { decision: 'allow' });
  return readResponse(response).get('access_token') ?? '';
}

describe('the client-side flow', () => {
  // Shows authorize-18
  it('given a signed-in user, when they allow the request, then the app receives a token for the allowed scopes that lives 30 minutes', async () => {
    const { browser, response, consentPage } = await signInDemoUser(auth, QUERY);
    expect(response.status).toBe(303);
    const allow = await browser.submit(consentPage, '/v1/oauth/consent', { decision: 'allow' });
    expect(allow.status).toBe(303);
    const location = allow.headers.get('location') ?? '';
    expect(location.split('?')[0]).toBe(`${auth.settings.publicUrl}${DEMO_APP.redirectPath}`);
    expect([...readResponse(allow).keys()]).toEqual(['access_token', 'state', 'iss']);
    expect(readResponse(allow).get('state')).toBe('a b/c=é');
    expect(readResponse(allow).get('iss')).toBe(auth.settings.publicUrl);
    const grant = await check(readResponse(allow).get('access_token') ?? '');
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
  it('given an authorization request, when the consent page is rendered, then it names the app, the scopes, the lifetime and the redirect URI', async () => {
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
    ['access_email', 'code', ['See e-mail addresses', 'your name, username, picture and bio, whatever you select']],
  ])(
    'given only %s for a %s, when the consent page and the connected apps are rendered, then they name everything it allows',
    async (scope, responseType, texts) => {
      const query = `client_id=${DEMO_APP.clientId}&scope=${scope}&response_type=${responseType}&state=words`;
      const { browser, consentPage } = await signInDemoUser(auth, query, 'carol');
      for (const text of texts) expect(consentPage).toContain(text);
      await browser.submit(consentPage, '/v1/oauth/consent', { decision: 'allow' });
      const connected = await (await browser.get('/account/apps')).text();
      for (const text of texts.filter((part) => !part.startsWith('your name'))) expect(connected).toContain(text);
      expect(connected).not.toContain('See phone numbers');
      const { app } = parseForm(connected, '/account/apps/revoke').fields;
      await browser.submit(connected, '/account/apps/revoke', { app: app! });
    },
  );

  it('given a consent page, when the user denies, then the app receives access_denied and the state, and no token', async () => {
    const { browser, consentPage } = await signInDemoUser(auth, QUERY);
    const deny = await browser.submit(consentPage, '/v1/oauth/consent', { decision: 'deny' });
    expect(deny.status).toBe(303);
    expect(readResponse(deny).get('error')).toBe('access_denied');
    expect(readResponse(deny).get('state')).toBe('a b/c=é');
    expect(readResponse(deny).get('iss')).toBe(auth.settings.publicUrl);
    expect(readResponse(deny).has('access_token')).toBe(false);
  });

  it('given a consent page, when the form is sent without a decision, then the page is shown again with its values and can still be decided', async () => {
    const { browser, consentPage } = await signInDemoUser(auth, QUERY);
    const send = (html: string, decision: string) =>
      browser.submit(html, '/v1/oauth/consent', { decision, scopes: 'make_payments', amount_per_day: '7.50' });
    const again = await (await send(consentPage, 'none')).text();
    expect(again).toContain('Nothing is decided yet.');
    expect(again).toContain('value="7.50"');
    expect(parseForm(again, '/v1/oauth/consent').ticked).toEqual([['scopes', 'make_payments']]);
    const allowed = await send(again, 'allow');
    expect((await check(readResponse(allowed).get('access_token') ?? '')).scopes).toEqual(['make_payments']);
    const repeated = await send(again, 'none');
    expect([repeated.status, await repeated.text()]).toEqual([400, expect.stringContaining('already decided')]);
  });

  it('given 25 consent pages in one session, when counted, then only the newest 20 are pending', async () => {
    const { browser, consentPage } = await signInDemoUser(auth, QUERY);
    let newest = consentPage;
    for (let n = 0; n < 25; n += 1) newest = await (await browser.get(`/v1/oauth/authorize?${QUERY}`)).text();
    const counted =
      'select max(count)::int as most from (select count(*) from consent_requests group by session_sha256) c';
    expect((await auth.pool.query<{ most: number }>(counted)).rows[0]?.most).toBe(20);
    const oldest = await browser.submit(consentPage, '/v1/oauth/consent', { decision: 'allow' });
    const latest = await browser.submit(newest, '/v1/oauth/consent', { decision: 'allow' });
    expect([oldest.status, latest.status]).toEqual([400, 303]);
  });

  it('given an earlier consent for a token, when the app requests again, then the user must consent again', async () => {
    const { browser, consentPage } = await signInDemoUser(auth, QUERY);
    await browser.submit(consentPage, '/v1/oauth/consent', { decision: 'allow' });
    const again = await browser.get(`/v1/oauth/authorize?${QUERY}`);
    expect(again.status).toBe(200);
    expect(await again.text()).toContain('name="decision" value="allow"');
  });

  it.each([
    ['the e-mail in another case', ' Alice@Example.COM '],
    ['the phone number in US notation', '(415) 555-0101'],
    ['the username in another case', 'ALICE'],
  ])('given %s, when the user signs in, then the session is theirs', async (_case, login) => {
    const { consentPage } = await signInDemoUser(auth, QUERY, login);
    expect(consentPage).toContain('signed in as <strong>alice</strong>');
  });

  it('given a consent page, when the user signs out, then the session has ended and the sign-in page follows', async () => {
    const { browser, consentPage } = await signInDemoUser(auth, QUERY);
    const before = new Map(browser.cookies);
    const signOut = await browser.submit(consentPage, '/v1/oauth/sign-out', {});
    expect(signOut.status).toBe(303);
    for (const [name, value] of before) browser.cookies.set(name, value);
    const page = await (await browser.get(signOut.headers.get('location') ?? '')).text();
    expect(page).toContain('name="password"');
  });
});

describe('tokens', () => {
  it('given an unknown token, when checked, then it is invalid', async () => {
    await expect(check('nothing')).rejects.toMatchObject({ code: 'invalid_token' });
  });

  // Shows error-27
  it('given a token past its lifetime, when checked, then it is expired', async () => {
    const token = await obtainToken();
    await auth.pool.query(`update tokens set expires_at = now() where sha256 = decode($1, 'hex')`, [hashToken(token)]);
    await expect(check(token)).rejects.toMatchObject({ code: 'expired_token' });
  });

  it('given an issued token, when the tokens table is searched, then it does not contain the token', async () => {
    const token = await obtainToken();
    const { rows } = await auth.pool.query<{ dump: string }>('select row_to_json(t)::text as dump from tokens t');
    expect(rows.length).toBeGreaterThan(0);
    for (const { dump } of rows) expect(dump).not.toContain(token);
  });
});

describe('demo data', () => {
  // Shows friend-21
  it('given the stored passwords, when read, then they are Argon2id hashes with at least 19 MiB', async () => {
    const { rows } = await auth.pool.query<{ password_hash: string }>('select password_hash from credentials');
    expect(rows).toHaveLength(3);
    for (const row of rows) expect(row.password_hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  });

  it('given a token, when the callback page is opened, then it shows the token and forbids caching', async () => {
    const token = await obtainToken();
    const page = await new PagesBrowser(auth.service.url).get(`${DEMO_APP.redirectPath}?access_token=${token}`);
    expect(page.status).toBe(200);
    expect(page.headers.get('cache-control')).toBe('no-store, private');
    expect(page.headers.get('referrer-policy')).toBe('no-referrer');
    const html = await page.text();
    expect(html).toContain(token);
    expect(html).toContain(`${auth.settings.publicUrl}/v1/me`);
  });

  it('given a text that is not a token, when the callback page is opened, then it does not repeat the text', async () => {
    const page = await new PagesBrowser(auth.service.url).get(`${DEMO_APP.redirectPath}?access_token=${DEMO_PASSWORD}`);
    expect(await page.text()).not.toContain(DEMO_PASSWORD);
  });
});
