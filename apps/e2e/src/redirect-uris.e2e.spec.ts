import { call } from './client.js';
import type { Browser } from './browser.js';
import { registerApp, openSignedInBrowser } from './developer.js';
import { authorizeUrl } from './sign-in.js';

const CB = 'https://app.example/cb';
const FLOWS = ['response_type=token', `response_type=code&code_challenge=${'x'.repeat(43)}&code_challenge_method=S256`];

let alice: Browser;
let exact: string;
let builder: string;
let several: string;
let desk: string;
beforeAll(async () => {
  alice = await openSignedInBrowser('alice');
  exact = await registerApp(alice, { name: 'Exact', redirect_url: CB });
  builder = await registerApp(alice, { name: 'Builder', redirect_url: CB, builds_addresses: 'yes' });
  const more = { more_redirect_urls: 'https://second.example/cb\nhttps://third.example/cb' };
  several = await registerApp(alice, { name: 'Several', redirect_url: CB, ...more });
  desk = await registerApp(alice, {
    name: 'Desk',
    redirect_url: 'http://127.0.0.1/done',
    more_redirect_urls: 'http://[::1]/done',
  });
});

const requestAuthorization = (clientId: string, uri: string, flow = FLOWS[0]) =>
  call(`/oauth/authorize?client_id=${clientId}&scope=make_payments&${flow}&redirect_uri=${uri}`);

/** Expects that alice is asked whether she allows the app at this address. */
async function expectConsent(client_id: string, redirect_uri: string | undefined, expected: string): Promise<void> {
  const { status, html } = await alice.open(authorizeUrl({ client_id, scope: 'make_payments', redirect_uri }));
  expect([status, html]).toEqual([200, expect.stringContaining(`<bdi>${expected}</bdi>`)]);
}

async function expectOwnPage(clientId: string, uri: string): Promise<void> {
  for (const flow of FLOWS) {
    const { status, headers } = await requestAuthorization(clientId, uri, flow);
    expect([uri, status, headers.get('location')]).toEqual([uri, 400, null]);
    expect(headers.get('content-type')).toContain('text/html');
    expect(headers.get('content-security-policy')).toContain("form-action 'self';");
  }
}

/** Raw values of the query. */
const NOWHERE = [
  ...['app.example%2Fcb', 'http%3A%2F%2Fapp.example%2Fcb', 'https%3A%2F%2Fother.example%2Fcb'],
  ...['https://app.example.evil.test/cb', 'https://evil.test%23@app.example/cb', 'https://app.example@evil.test/cb'],
  ...[
    'https://app.example/CB',
    'https://app.example/cb123',
    'https://app.example/cb/../x',
    'https://app.example/cb%252f',
  ],
  ...['https://app.example/cb%23x', 'https://app.example:443/cb', 'https://app.example:8443/cb'],
  ...[
    'https://app.example./cb',
    'https://APP.example/cb',
    'https://xn--pp-example-q4h/cb',
    'https://user@app.example/cb',
  ],
  ...[
    'https://app.example/cb%09',
    'https://app.example/cb%0A',
    'https://app.example/cb%0D%0Ax:y',
    'https://app.example/cb%20',
  ],
  ...['https:%5C%5Capp.example%5Ccb', 'https:/app.example/cb', '//app.example/cb', '%20https://app.example/cb'],
  ...[
    'javascript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'app.example:/cb',
    'https://app.example%5C@evil.test/cb',
  ],
  ...['https://app.example/cb?code=1', 'https://app.example/cb?access_token=1', 'https://app.example/cb?state=1'],
  `https://app.example/cb?${'x'.repeat(2_100)}`,
];
const BELOW = ['https://app.example/cb/', 'https://app.example/cb/child', 'https://app.example/cb?x=1'];

describe('where an authorization request may redirect', () => {
  // Shows token-45
  it.each([...NOWHERE, ...BELOW])(
    'given redirect_uri %s, when either flow requests it, then an error page is shown',
    (uri) => expectOwnPage(exact, uri),
  );

  it.each([...NOWHERE, 'https://app.example/cb/%252e%252e/x', 'https://app.example/cb//evil.test'])(
    'given redirect_uri %s, when an app that builds addresses requests it, then an error page is shown',
    (uri) => expectOwnPage(builder, uri),
  );

  // Shows token-44
  it.each(BELOW)(
    'given redirect_uri %s, when an app that builds addresses requests it, then the browser is redirected there',
    (uri) => expectConsent(builder, uri, uri),
  );

  it.each([
    ['two addresses', () => `client_id=${exact}&redirect_uri=${CB}&redirect_uri=${CB}`],
    [
      'two addresses, one of them escaped',
      () => `client_id=${exact}&redirect_uri=${CB}&redirect%5Furi=https://evil.test/`,
    ],
    ['two apps', () => `client_id=${exact}&client_id=${exact}`],
    ['an unknown app', () => `client_id=unknown&redirect_uri=${CB}`],
    ['a NUL', () => `client_id=${exact}&redirect_uri=${CB}%00`],
    ['broken UTF-8', () => `client_id=${exact}&redirect_uri=${CB}%ff`],
  ])('given %s, when authorization is requested, then an error page is shown', async (_what, query) => {
    const { status, headers } = await call(`/oauth/authorize?scope=make_payments&${query()}`);
    expect([status, headers.get('location')]).toEqual([400, null]);
  });

  it('given several addresses, when one or none is named, then the redirect goes there, or to the first', async () => {
    await expectConsent(several, 'https://third.example/cb', 'https://third.example/cb');
    for (const none of [undefined, '']) await expectConsent(several, none, CB);
  });

  it.each(['http://127.0.0.1:51234/done', 'http://127.0.0.1/done', 'http://[::1]:51234/done'])(
    'given %s, when a native app requests it, then the browser is redirected there',
    async (uri) => expect((await requestAuthorization(desk, encodeURIComponent(uri))).status).toBe(200),
  );

  it.each([
    'http://localhost:51234/done',
    'https://127.0.0.1/done',
    'http://127.0.0.1:51234/other',
    'http://127.0.0.1:99999/done',
  ])('given %s, when a native app requests it, then an error page is shown', (uri) => expectOwnPage(desk, uri));

  it('given other parameters for a target and another Host, when authorization is requested, then they are ignored', async () => {
    const words = ['next', 'return_to', 'url', 'continue'].map((name) => `${name}=https://evil.test/`).join('&');
    const headers = { 'x-forwarded-host': 'evil.test', forwarded: 'host=evil.test' };
    const places = [
      `/oauth/authorize?${words}&client_id=${exact}&scope=nonsense`,
      `/oauth/sign-in?${words}&client_id=${exact}`,
    ];
    for (const place of places) {
      const response = await call(place, { headers });
      const { origin } = new URL(response.headers.get('location') ?? '', 'http://own.invalid');
      expect(['https://app.example', 'http://own.invalid']).toContain(origin);
      expect([307, 308]).not.toContain(response.status);
    }
  });
});
