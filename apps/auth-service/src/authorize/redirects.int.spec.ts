import { DEMO_APP } from '@settle/contracts';
import { freshDatabase } from '@settle/testing';
import { PagesBrowser } from '../../test/pages-browser.fixture.js';
import { signInDemoUser, startAuth, type StartedAuth } from '../../test/started-auth.fixture.js';

const CB = 'https://app.example/cb';
const QUERY = `client_id=${DEMO_APP.clientId}&scope=make_payments`;

let auth: StartedAuth;
beforeAll(async () => {
  auth = await startAuth(await freshDatabase());
  const app = (id: string, name: string, urls: string[]) =>
    auth.pool.query(`insert into apps values ($1, '', $2, '', '', $3, 1)`, [id, name, urls]);
  await app('cb-app', '<b>Bold</b> & "Co"', [CB]);
  await app('two-app', 'Two', ['https://first.example/cb', 'https://second.example/cb']);
  await app('desk-app', 'Desk', ['http://127.0.0.1/done']);
  await app('bare-app', 'Bare', []);
});
afterAll(() => auth.stop());

const authorize = (query: string) => new PagesBrowser(auth.service.url).get(`/v1/oauth/authorize?${query}`);
const requestWith = (uri: string) =>
  authorize(`client_id=cb-app&scope=make_payments&redirect_uri=${encodeURIComponent(uri)}`);

async function expectErrorPage(response: Response): Promise<void> {
  expect(response.status).toBe(400);
  expect(response.headers.get('location')).toBeNull();
  expect(response.headers.get('content-type')).toContain('text/html');
  expect(response.headers.getSetCookie()).toEqual([]);
}

describe('redirect URIs of authorization requests', () => {
  // Shows authorize-8
  it.each([
    'app.example/cb',
    'http://app.example/cb',
    'https://app.example.evil.test/cb',
    'https://evil.test#@app.example/cb',
    'https://app.example@evil.test/cb',
    'https://app.example/cb/',
    'https://app.example/cb/../x',
    'https://app.example/cb%2f',
    'https://app.example/CB',
    'https://app.example/cb123',
    'https://app.example/cb/child',
    'https://app.example/cb?x=1',
    'https://app.example/cb?access_token=x',
    'https://app.example/cb#x',
    'https://app.example:443/cb',
    'https://app.example:8443/cb',
    'https://app.example./cb',
    'https://APP.example/cb',
    'https://xn--pp-example-q4h/cb',
    'https://app.example/cb\t',
    'https://app.example/cb\n',
    'https:\\\\app.example\\cb',
    'javascript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'app.example:/cb',
    `https://app.example/cb?${'x'.repeat(2_100)}`,
  ])(
    'given the redirect_uri %s, when authorization is requested, then an error page without a redirect is returned',
    async (uri) => {
      await expectErrorPage(await requestWith(uri));
    },
  );

  it.each([
    ['two redirect URIs', `client_id=cb-app&scope=make_payments&redirect_uri=${CB}&redirect_uri=${CB}`],
    ['two client ids', 'client_id=cb-app&client_id=cb-app&scope=make_payments'],
    ['no client id', 'scope=make_payments'],
    // Shows authorize-12
    ['an unknown app', `client_id=unknown&scope=make_payments&redirect_uri=${CB}`],
    ['an app without registered redirect URLs', `client_id=bare-app&scope=make_payments&redirect_uri=${CB}`],
    // Shows authorize-11
    ['an app without registered redirect URLs and no redirect_uri', 'client_id=bare-app&scope=make_payments'],
    ['a NUL in the redirect_uri', `client_id=cb-app&scope=make_payments&redirect_uri=${CB}%00`],
    ['a broken escape', `client_id=cb-app&scope=make_payments&state=%zz`],
  ])(
    'given %s, when authorization is requested, then an error page without a redirect is returned',
    async (_case, query) => {
      await expectErrorPage(await authorize(query));
    },
  );

  it.each([
    ['the registered redirect URL', `client_id=cb-app&scope=make_payments&redirect_uri=${encodeURIComponent(CB)}`, CB],
    // Shows authorize-7
    [
      'an empty redirect_uri and two registered ones',
      'client_id=two-app&scope=make_payments&redirect_uri=',
      'https://first.example/cb',
    ],
    [
      'empty optional parameters',
      'client_id=cb-app&scope=make_payments&redirect_uri=&response_type=&code_challenge=&code_challenge_method=',
      CB,
    ],
    [
      'a code with empty PKCE parameters for an app with a secret',
      'client_id=cb-app&scope=make_payments&response_type=code&code_challenge=&code_challenge_method=',
      CB,
    ],
    ['no redirect_uri and two registered ones', 'client_id=two-app&scope=make_payments', 'https://first.example/cb'],
    [
      'the second registered redirect URL',
      'client_id=two-app&scope=make_payments&redirect_uri=https://second.example/cb',
      'https://second.example/cb',
    ],
    [
      // Shows authorize-9
      'a loopback address with another port',
      'client_id=desk-app&scope=make_payments&redirect_uri=http://127.0.0.1:51234/done',
      'http://127.0.0.1:51234/done',
    ],
  ])(
    'given %s, when authorization is requested, then the consent page names it and the decision redirects there',
    async (_case, query, uri) => {
      const { browser, consentPage } = await signInDemoUser(auth, query);
      expect(consentPage).toContain(`<bdi>${uri}</bdi>`);
      const response = await browser.submit(consentPage, '/v1/oauth/consent', { decision: 'deny' });
      expect(response.headers.get('location')).toMatch(new RegExp(`^${uri}\\?error=access_denied`));
    },
  );

  // Browsers apply form-action to every redirect after a submission, and the app may redirect on to another origin.
  it.each([
    ['the consent page of a token', false, '', 'consentPage'],
    ['the consent page of a code', false, '&response_type=code', 'consentPage'],
    ['the sign-in page of a code, which a remembered consent may answer', false, '&response_type=code', 'signInPage'],
    ['the sign-in page of a token, which no consent answers', true, '', 'signInPage'],
  ] as const)('given %s, when it is shown, then it limits form targets: %s', async (_case, isLimited, query, step) => {
    const { browser } = await signInDemoUser(auth, `${QUERY}${query}&state=policy`);
    const opener = step === 'consentPage' ? browser : new PagesBrowser(auth.service.url);
    const page = await opener.get(`/v1/oauth/authorize?${QUERY}${query}`);
    const policy = page.headers.get('content-security-policy') ?? '';
    expect([page.status, policy.includes("form-action 'self';")]).toEqual([200, isLimited]);
    expect(policy.includes('form-action')).toBe(isLimited);
  });

  it.each([
    ['/v1/oauth/authorize?client_id=1', false],
    ['/developers', true],
  ])(
    'given the account sign-in page that returns to %s, when it is shown, then it limits form targets: %s',
    async (to, isLimited) => {
      const page = await new PagesBrowser(auth.service.url).get(`/account/sign-in?return_to=${encodeURIComponent(to)}`);
      expect(page.headers.get('content-security-policy')?.includes('form-action')).toBe(isLimited);
    },
  );

  it('given an open consent page, when the app removes the redirect URL before the user allows it, then the user is not redirected', async () => {
    const { browser, consentPage } = await signInDemoUser(auth, 'client_id=two-app&scope=make_payments');
    const { rows } = await auth.pool.query<{ urls: string[] }>(
      `select redirect_urls as urls from apps where client_id = 'two-app'`,
    );
    await auth.pool.query(`update apps set redirect_urls = '{https://other.example/cb}' where client_id = 'two-app'`);
    const response = await browser.submit(consentPage, '/v1/oauth/consent', { decision: 'allow' });
    await auth.pool.query(`update apps set redirect_urls = $1 where client_id = 'two-app'`, [rows[0]!.urls]);
    await expectErrorPage(response);
  });
});

describe('errors of authorization requests', () => {
  const asSignedIn = async (query: string) => {
    const { browser } = await signInDemoUser(auth, QUERY);
    return browser.get(`/v1/oauth/authorize?${query}`);
  };

  it.each([
    ['no scope', '', 'invalid_scope'],
    ['an unknown scope', 'scope=make_payments+own_everything', 'invalid_scope'],
    ['an unknown response type', 'scope=make_payments&response_type=id_token', 'unsupported_response_type'],
    ['a scope twice', 'scope=make_payments&scope=make_payments', 'invalid_request'],
  ])(
    'given %s, when authorization is requested, then the redirect to the app has the error and the state',
    async (_case, query, error) => {
      const response = await asSignedIn(`client_id=cb-app&state=s%2B1&${query}`);
      expect(response.status).toBe(303);
      const location = new URL(response.headers.get('location') ?? '');
      expect(location.origin + location.pathname).toBe(CB);
      expect(location.searchParams.get('error')).toBe(error);
      expect(location.searchParams.get('state')).toBe('s+1');
      expect(location.searchParams.get('iss')).toBe(auth.settings.publicUrl);
    },
  );

  // Shows authorize-4
  it.each([
    ['an unknown scope', 'scope=own_everything', 'invalid_scope'],
    ['an unknown response type', 'scope=make_payments&response_type=id_token', 'unsupported_response_type'],
    ['a scope twice', 'scope=make_payments&scope=make_payments', 'invalid_request'],
    [
      'a public client with an empty challenge',
      'scope=make_payments&response_type=code&code_challenge=&code_challenge_method=S256',
      'invalid_request',
    ],
    ['a public client without a challenge', 'scope=make_payments&response_type=code', 'invalid_request'],
  ])(
    'given %s and no session, when authorization is requested, then a page names the host of its link instead of redirecting',
    async (_case, query, error) => {
      await auth.pool.query(`update apps set secret_sha256 = null where client_id = 'cb-app'`);
      const response = await authorize(`client_id=cb-app&state=s%2B1&${query}`);
      await auth.pool.query(`update apps set secret_sha256 = '' where client_id = 'cb-app'`);
      const html = await response.clone().text();
      await expectErrorPage(response);
      expect(response.headers.get('content-security-policy')).toContain("form-action 'self';");
      expect(html).toContain('Return to <bdi>app.example</bdi>');
      const [, href = ''] = /href="(https:\/\/app\.example[^"]+)"/.exec(html) ?? [];
      const link = new URL(href.replaceAll('&amp;', '&'));
      expect([link.origin + link.pathname, link.searchParams.get('error'), link.searchParams.get('state')]).toEqual([
        CB,
        error,
        's+1',
      ]);
    },
  );

  it('given two state parameters, when authorization is requested, then the redirect has the error and no state', async () => {
    const response = await asSignedIn('client_id=cb-app&scope=make_payments&state=a&state=b');
    const location = new URL(response.headers.get('location') ?? '');
    expect(location.searchParams.get('error')).toBe('invalid_request');
    expect(location.searchParams.has('state')).toBe(false);
  });

  // Shows authorize-14
  it('given a state of 2 KiB, when the user allows the app, then the redirect has the same state', async () => {
    const state = 'ä✓'.repeat(340);
    const { browser, consentPage } = await signInDemoUser(auth, `${QUERY}&state=${encodeURIComponent(state)}`);
    const response = await browser.submit(consentPage, '/v1/oauth/consent', { decision: 'allow' });
    expect(new URL(response.headers.get('location') ?? '').searchParams.get('state')).toBe(state);
  });
});
