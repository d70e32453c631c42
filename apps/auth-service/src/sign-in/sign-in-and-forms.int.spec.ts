import { DEMO_APP, DEMO_PASSWORD } from '@settle/contracts';
import { freshDatabase } from '@settle/testing';
import { PagesBrowser, parseForm } from '../../test/pages-browser.fixture.js';
import { signInDemoUser, startAuth, type StartedAuth } from '../../test/started-auth.fixture.js';

const QUERY = `client_id=${DEMO_APP.clientId}&scope=make_payments`;

let auth: StartedAuth;
beforeAll(async () => {
  auth = await startAuth(await freshDatabase());
});
afterAll(() => auth.stop());

const openAuthorizePage = (browser: PagesBrowser) => browser.get(`/v1/oauth/authorize?${QUERY}`);
const countTokens = async () => (await auth.pool.query('select 1 from tokens')).rowCount;

describe('sign-in', () => {
  it('given a wrong password and an unknown username, when they are submitted, then the pages are identical', async () => {
    const pages = await Promise.all(
      ['alice', 'unknown'].map(async (username) => {
        const browser = new PagesBrowser(auth.service.url);
        const page = await (await openAuthorizePage(browser)).text();
        const response = await browser.submit(page, '/v1/oauth/sign-in', { username, password: 'wrong' });
        const { fields } = parseForm(page, '/v1/oauth/sign-in');
        expect(response.status).toBe(403);
        expect(response.headers.getSetCookie()).toEqual([]);
        return (await response.text()).replace(fields.form_token!, '').replace(`value="${username}"`, '');
      }),
    );
    expect(pages[0]).toContain('Wrong username or password.');
    expect(pages[0]).toBe(pages[1]);
  });

  it('given an empty form, when it is submitted, then it is refused like a wrong password', async () => {
    const browser = new PagesBrowser(auth.service.url);
    const page = await (await openAuthorizePage(browser)).text();
    const response = await browser.submit(page, '/v1/oauth/sign-in', { username: '', password: '' });
    expect(response.status).toBe(403);
  });

  it.each(['username=alice&password=PASSWORD', 'username=a&username=b&password=x', 'username=%00&password=x'])(
    'given an empty form, when it is submitted with the query %s, then it is refused like a wrong password',
    async (query) => {
      const browser = new PagesBrowser(auth.service.url);
      const page = await (await browser.get('/account/sign-in')).text();
      const { fields } = parseForm(page, '/account/sign-in');
      const path = `/account/sign-in?${query.replace('PASSWORD', encodeURIComponent(DEMO_PASSWORD))}`;
      const response = await browser.post(path, { ...fields, username: '', password: '' });
      expect(response.status).toBe(403);
    },
  );

  it('given a session id planted by an attacker, when alice signs in, then that id has no session', async () => {
    const { browser } = await signInDemoUser(auth, QUERY);
    const planted = 'A'.repeat(43);
    const victim = new PagesBrowser(auth.service.url);
    victim.cookies.set('settle_session', planted);
    const page = await (await openAuthorizePage(victim)).text();
    await victim.submit(page, '/v1/oauth/sign-in', { username: 'alice', password: DEMO_PASSWORD });
    expect(victim.cookies.get('settle_session')).not.toBe(planted);
    browser.cookies.set('settle_session', planted);
    expect(await (await openAuthorizePage(browser)).text()).toContain('name="password"');
  });

  it('given a signed-in user, when the browser signs in again, then the former session has ended', async () => {
    const first = await signInDemoUser(auth, QUERY);
    const old = first.browser.cookies.get('settle_session')!;
    const { fields } = parseForm(first.consentPage, '/v1/oauth/consent');
    const form = { form_token: fields.form_token!, username: 'bob', password: DEMO_PASSWORD };
    expect((await first.browser.post(`/v1/oauth/sign-in?${QUERY}`, form)).status).toBe(303);
    first.browser.cookies.set('settle_session', old);
    expect(await (await openAuthorizePage(first.browser)).text()).toContain('name="password"');
  });

  it('given a sign-in form that succeeded, when it is sent again with the new cookie, then the user continues in the same session', async () => {
    const { browser, signInPage } = await signInDemoUser(auth, QUERY);
    const session = browser.cookies.get('settle_session');
    const form = { username: 'alice', password: 'not even the password' };
    const again = await browser.submit(signInPage, '/v1/oauth/sign-in', form);
    expect([again.status, again.headers.get('location')]).toEqual([303, `/v1/oauth/authorize?${QUERY}`]);
    expect(browser.cookies.get('settle_session')).toBe(session);
    const account = { ...form, form_token: 'x', return_to: '/developers' };
    const own = await browser.post('/account/sign-in', account);
    expect([own.status, own.headers.get('location')]).toEqual([303, '/developers']);
    const crossSite = await browser.post('/account/sign-in', account, { origin: 'https://evil.test' });
    expect(crossSite.status).toBe(403);
  });

  it('given ten failed attempts, when the next one follows at once, then it is refused with Retry-After', async () => {
    const browser = new PagesBrowser(auth.service.url, { 'x-forwarded-for': '203.0.113.9, 198.51.100.7' });
    const page = await (await openAuthorizePage(browser)).text();
    const attempt = () => browser.submit(page, '/v1/oauth/sign-in', { username: 'victim', password: 'guess' });
    for (let n = 0; n < 10; n += 1) expect((await attempt()).status).toBe(403);
    const refused = await attempt();
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBe(1);
  });
});

describe('password guessing', () => {
  it('given an existing and an unknown username, when passwords are guessed until both are throttled, then the responses are identical', async () => {
    await auth.pool.query(`
      insert into credentials (user_id, username, password_hash)
      select 7, 'dave', password_hash from credentials where username = 'alice'`);
    const guessRepeatedly = async (username: string, from: string) => {
      const browser = new PagesBrowser(auth.service.url, { 'x-forwarded-for': from });
      const page = await (await openAuthorizePage(browser)).text();
      const { form_token: formToken = '' } = parseForm(page, '/v1/oauth/sign-in').fields;
      const responses = [];
      for (let attempts = 0; attempts < 12; attempts += 1) {
        const response = await guessIn(browser, page, username);
        const text = response.text.replaceAll(formToken, '').replaceAll(`value="${username}"`, '');
        responses.push({ ...response, text });
      }
      return responses;
    };
    const existing = await guessRepeatedly('dave', '203.0.113.20');
    const unknown = await guessRepeatedly('evad', '203.0.113.21');
    expect(existing.map(({ status }) => status)).toEqual([...Array<number>(10).fill(403), 429, 429]);
    expect(unknown).toEqual(existing);
  });

  /** Returns the response without its date. */
  async function guessIn(browser: PagesBrowser, page: string, username: string) {
    const response = await browser.submit(page, '/v1/oauth/sign-in', { username, password: 'guess' });
    const headers = new Headers(response.headers);
    headers.delete('date');
    return { status: response.status, headers: [...headers], text: await response.text() };
  }
});

describe('an account under attack', () => {
  it('given a throttled account, when its owner signs in on a trusted device, then the sign-in succeeds at once', async () => {
    const owner = (await signInDemoUser(auth, QUERY, 'carol')).browser;
    owner.cookies.delete('settle_session');
    const guesser = new PagesBrowser(auth.service.url, { 'x-forwarded-for': '203.0.113.10' });
    const page = await (await openAuthorizePage(guesser)).text();
    const guess = () => guesser.submit(page, '/v1/oauth/sign-in', { username: 'carol', password: 'guess' });
    for (let n = 0; n < 10; n += 1) await guess();
    expect((await guess()).status).toBe(429);
    const form = { username: 'carol', password: DEMO_PASSWORD };
    const elsewhere = new PagesBrowser(auth.service.url);
    const refused = await elsewhere.submit(
      await (await openAuthorizePage(elsewhere)).text(),
      '/v1/oauth/sign-in',
      form,
    );
    expect(refused.status).toBe(429);
    const own = await owner.submit(await (await openAuthorizePage(owner)).text(), '/v1/oauth/sign-in', form);
    expect(own.status).toBe(303);
  });
});

describe('forged forms', () => {
  it.each([
    ['another origin', { origin: 'https://evil.test' }],
    ['a sandboxed frame', { origin: 'null' }],
    ['a cross-site fetch', { 'sec-fetch-site': 'cross-site' }],
  ])(
    'given a form with valid fields from %s, when it is submitted, then it is refused and no token is issued',
    async (_case, headers) => {
      const before = await countTokens();
      const { browser, consentPage } = await signInDemoUser(auth, QUERY);
      const consent = await browser.submit(consentPage, '/v1/oauth/consent', { decision: 'allow' }, headers);
      expect(consent.status).toBe(403);
      expect(await countTokens()).toBe(before);
    },
  );

  // Shows authorize-30
  it('given a form with a missing or foreign CSRF token, when it is submitted, then it is refused', async () => {
    const foreign = parseForm((await signInDemoUser(auth, QUERY)).consentPage, '/v1/oauth/consent').fields.form_token!;
    const { browser, consentPage } = await signInDemoUser(auth, QUERY);
    const { fields } = parseForm(consentPage, '/v1/oauth/consent');
    const withoutToken = { request: fields.request!, decision: 'allow' };
    expect((await browser.post('/v1/oauth/consent', withoutToken)).status).toBe(403);
    expect((await browser.post('/v1/oauth/consent', { ...withoutToken, form_token: foreign })).status).toBe(403);
    const signIn = { username: 'alice', password: DEMO_PASSWORD };
    const fresh = new PagesBrowser(auth.service.url);
    expect((await fresh.post(`/v1/oauth/sign-in?${QUERY}`, { ...signIn, form_token: foreign })).status).toBe(403);
    expect((await fresh.post(`/v1/oauth/sign-in?${QUERY}`, signIn)).status).toBe(403);
    expect((await fresh.post(`/v1/oauth/sign-out?${QUERY}`, {})).status).toBe(403);
  });

  it('given a consent page, when it is submitted twice, then the second submission issues no token', async () => {
    const { browser, consentPage } = await signInDemoUser(auth, QUERY);
    const allow = () => browser.submit(consentPage, '/v1/oauth/consent', { decision: 'allow' });
    const responses = await Promise.all([allow(), allow()]);
    expect(responses.map((response) => response.status).sort()).toEqual([303, 400]);
  });

  it('given a consent page of alice, when bob submits it, then the submission is refused', async () => {
    const alice = await signInDemoUser(auth, QUERY);
    const bob = await signInDemoUser(auth, QUERY, 'bob');
    const { request } = parseForm(alice.consentPage, '/v1/oauth/consent').fields;
    const response = await bob.browser.submit(bob.consentPage, '/v1/oauth/consent', {
      request: request!,
      decision: 'allow',
    });
    expect(response.status).toBe(400);
  });

  it.each(['al\0ice', '\talice', 'alice\r\n', 'alice\u0085', 'al\u007fice'])(
    'given the username %j, when it is submitted, then the form is refused as malformed',
    async (username) => {
      const browser = new PagesBrowser(auth.service.url);
      const page = await (await openAuthorizePage(browser)).text();
      const response = await browser.submit(page, '/v1/oauth/sign-in', { username, password: DEMO_PASSWORD });
      expect(response.status).toBe(400);
    },
  );

  it('given an unknown decision or a repeated field, when the form is submitted, then it is refused', async () => {
    const { browser, consentPage } = await signInDemoUser(auth, QUERY);
    const unknown = await browser.submit(consentPage, '/v1/oauth/consent', { decision: 'perhaps' });
    expect(unknown.status).toBe(400);
    const { fields } = parseForm(consentPage, '/v1/oauth/consent');
    const body = `form_token=${fields.form_token}&request=${fields.request}&decision=allow&decision=deny`;
    expect((await browser.post('/v1/oauth/consent', body)).status).toBe(400);
  });
});
