import { DEMO_APP, DEMO_USERS, getAccount, getProfile } from '@settle/contracts';
import { freshDatabase } from '@settle/testing';
import { PagesBrowser } from '../../test/pages-browser.fixture.js';
import { Passwords } from '../sign-in/passwords.js';
import { signInDemoUser, startAuth, type StartedAuth } from '../../test/started-auth.fixture.js';

const REDIRECT = 'https://lunch.example/cb';
const QUERY = `client_id=${DEMO_APP.clientId}&scope=access_profile&response_type=code`;
const APP_PATH = `/developers/apps/${DEMO_APP.clientId}`;
const APP = {
  name: 'Lunch',
  description: 'Splits bills.',
  site_url: 'https://lunch.example/about',
  redirect_url: REDIRECT,
  more_redirect_urls: '',
};

describe('app impersonation', () => {
  let auth: StartedAuth;
  let developer: PagesBrowser;
  beforeEach(async () => {
    auth = await startAuth(await freshDatabase());
    auth.bus.handle(getAccount.topic, getAccount.pattern, () => Promise.resolve({ isVerified: true }));
    ({ browser: developer } = await signInDemoUser(auth, QUERY, 'alice'));
    expect((await change(APP)).status).toBe(303);
  });
  afterEach(() => auth.stop());

  const change = async (fields: Record<string, string>) => {
    const page = await (await developer.get(APP_PATH)).text();
    return developer.submit(page, `${APP_PATH}">`, fields);
  };
  const authorize = (browser: PagesBrowser) => browser.get(`/v1/oauth/authorize?${QUERY}`);

  // Shows authorize-22
  it('given an app, when it requests consent, then the page names its developer, its site and the host of the redirect', async () => {
    const { browser, consentPage } = await signInDemoUser(auth, QUERY, 'bob');
    const { username } = DEMO_USERS.alice;
    expect(consentPage).toContain(`<dd><bdi>${username}</bdi></dd>`);
    expect(consentPage).toContain(`<dd><bdi>${new URL(APP.site_url).host}</bdi></dd>`);
    expect(consentPage).toContain('You will return to <strong><bdi>lunch.example</bdi></strong>');
    auth.bus.handle(getProfile.topic, getProfile.pattern, () => Promise.resolve({ displayName: 'Alice Archer' }));
    expect(await (await authorize(browser)).text()).toContain(`<dd><bdi>Alice Archer (${username})</bdi></dd>`);
  });

  // Shows authorize-23
  it('given the product name with Cyrillic letters, when an app is renamed to it, then the field has an error', async () => {
    const response = await change({ ...APP, name: 'Ѕeттle support' });
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('id="name-error"')]);
  });

  // Shows token-35
  it('given a remembered consent, when the app is renamed, then the user must consent again', async () => {
    const { browser, consentPage } = await signInDemoUser(auth, QUERY, 'bob');
    await browser.submit(consentPage, '/v1/oauth/consent', { decision: 'allow' });
    expect((await authorize(browser)).status).toBe(303);
    await change({ ...APP, description: 'Splits more bills.' });
    expect((await authorize(browser)).status).toBe(303);
    await change({ ...APP, name: 'Dinner' });
    const response = await authorize(browser);
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('Allow <bdi>Dinner</bdi>')]);
  });

  it('given an open consent page, when the app is renamed before the user allows it, then the submission is refused', async () => {
    const { browser, consentPage } = await signInDemoUser(auth, QUERY, 'bob');
    await change({ ...APP, name: 'Dinner' });
    const response = await browser.submit(consentPage, '/v1/oauth/consent', { decision: 'allow' });
    expect([response.status, response.headers.get('location')]).toEqual([400, null]);
  });
});

describe('plain http redirect URLs in production', () => {
  const OLD = 'http://old.example/cb';
  const PASSWORD = 'wet grass at noon';
  const PRODUCTION = { NODE_ENV: 'production', PUBLIC_URL: 'https://pay.example' };
  const asking = (auth: StartedAuth, uri: string) =>
    new PagesBrowser(auth.service.url).get(
      `/v1/oauth/authorize?client_id=old-app&scope=make_payments&redirect_uri=${encodeURIComponent(uri)}`,
    );
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let auth: StartedAuth;
  beforeEach(async () => {
    database = await freshDatabase();
    const kept = { url: database.url, drop: () => Promise.resolve() };
    const before = await startAuth(kept, { ...PRODUCTION, ALLOW_HTTP_REDIRECTS: 'true' });
    const hash = await new Passwords(Infinity).hash(PASSWORD);
    await before.pool.query(`insert into credentials (user_id, username, password_hash) values (1, 'dora', $1)`, [
      hash,
    ]);
    await before.pool.query(
      `insert into apps (client_id, name, description, site_url, redirect_urls, owner_id)
       values ('old-app', 'Old', 'Old.', 'https://old.example/', $1, 1)`,
      [[OLD, 'https://old.example/cb', 'http://127.0.0.1/cb']],
    );
    await before.stop();
  });
  afterEach(() => auth.stop());

  const pageOfDora = async () => {
    auth.bus.handle(getAccount.topic, getAccount.pattern, () => Promise.resolve({ isVerified: true }));
    const browser = new PagesBrowser(auth.service.url);
    const signIn = await (await browser.get('/account/sign-in')).text();
    await browser.submit(signIn, '/account/sign-in', { username: 'dora', password: PASSWORD });
    return { browser, page: await (await browser.get('/developers/apps/old-app')).text() };
  };

  // Shows authorize-24
  it('given a registered http redirect URL, when 90 days pass, then it works until that date, its developer sees the date and new ones are refused', async () => {
    auth = await startAuth(database, PRODUCTION);
    expect((await asking(auth, OLD)).status).toBe(200);
    const { browser, page } = await pageOfDora();
    const day = new Date(Date.now() + 90 * 86_400_000).toISOString().slice(0, 10);
    expect(page).toContain(`It works until ${day}`);
    const fields = { name: 'Old', description: 'Old.', site_url: 'https://old.example/', redirect_url: OLD };
    const add = (more_redirect_urls: string) =>
      browser.submit(page, '/developers/apps/old-app">', { ...fields, more_redirect_urls });
    expect((await add('http://new.example/cb')).status).toBe(400);
    expect((await add('https://old.example/cb\nhttp://127.0.0.1/cb')).status).toBe(303);
    await auth.pool.query(`update apps set http_redirects_until = http_redirects_until - interval '90 days'`);
    expect((await asking(auth, OLD)).status).toBe(400);
    for (const uri of ['https://old.example/cb', 'http://127.0.0.1:4000/cb']) {
      expect((await asking(auth, uri)).status).toBe(200);
    }
  });

  // Shows authorize-24
  it('given ALLOW_HTTP_REDIRECTS, when the deadline has passed, then http redirect URLs still work', async () => {
    auth = await startAuth(database, { ...PRODUCTION, ALLOW_HTTP_REDIRECTS: 'true' });
    expect((await pageOfDora()).page).not.toContain('It works until');
    await auth.pool.query(`update apps set http_redirects_until = now() - interval '1 day'`);
    expect((await asking(auth, OLD)).status).toBe(200);
  });
});
