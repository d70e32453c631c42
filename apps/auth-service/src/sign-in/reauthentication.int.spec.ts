import {
  DEMO_APP,
  DEMO_PASSWORD,
  DEMO_USERS,
  changeFriendship,
  changeFundingSource,
  getAccount,
  getFriendships,
} from '@settle/contracts';
import { freshDatabase } from '@settle/testing';
import { PagesBrowser, parseForm } from '../../test/pages-browser.fixture.js';
import { startAuth, type StartedAuth } from '../../test/started-auth.fixture.js';

const APP_PATH = `/developers/apps/${DEMO_APP.clientId}`;
const APP = {
  name: 'Lunch',
  description: 'Splits "bills" & <more>.',
  site_url: 'https://lunch.example/',
  redirect_url: 'https://lunch.example/cb',
  more_redirect_urls: 'https://lunch.example/one\nhttps://lunch.example/two',
};

/** The change requests to other services. */
let changes: object[];
let auth: StartedAuth;
let browser: PagesBrowser;
beforeAll(async () => {
  auth = await startAuth(await freshDatabase());
  const account = { isVerified: true, isBusiness: false, hasLegacyAccess: false, fundingSource: { lastFour: '4242' } };
  auth.bus.handle(getAccount.topic, getAccount.pattern, () => Promise.resolve(account));
  const friendships = { friends: [], incoming: [], outgoing: [], blocked: [] };
  auth.bus.handle(getFriendships.topic, getFriendships.pattern, () => Promise.resolve(friendships));
  for (const { topic, pattern } of [changeFriendship, changeFundingSource]) {
    auth.bus.handle(topic, pattern, (payload) => {
      changes.push(payload as object);
      return Promise.resolve({});
    });
  }
});
afterAll(() => auth.stop());
beforeEach(async () => {
  changes = [];
  await auth.pool.query('delete from sign_in_tries');
  browser = new PagesBrowser(auth.service.url);
  const page = await (await browser.get('/account/sign-in')).text();
  await browser.submit(page, '/account/sign-in', { username: 'alice', password: DEMO_PASSWORD });
});

const waitMinutes = (minutes: number) =>
  auth.pool.query(`update sessions set authenticated_at = authenticated_at - $1 * interval '1 minute'`, [minutes]);

const formToken = async () => {
  const page = await (await browser.get('/account/security')).text();
  return parseForm(page, '/account/password').fields.form_token ?? '';
};

const send = async (path: string, fields: Record<string, string> = {}) =>
  browser.post(path, { ...fields, form_token: await formToken() });

const app = async () =>
  (await auth.pool.query<Record<string, unknown>>('select * from apps where client_id = $1', [DEMO_APP.clientId]))
    .rows[0];

const APP_CHANGES = [
  ...['a change of an app', 'a new secret', 'ending the new secret', 'another new secret'],
  ...['ending the former secret', 'deleting an app'],
];
const DANGEROUS: readonly (readonly [name: string, path: string, fields: Record<string, string>])[] = [
  ['a change of an app', APP_PATH, APP],
  ['a new secret', `${APP_PATH}/secret`, {}],
  ['ending the new secret', `${APP_PATH}/secret/end-newest`, {}],
  ['another new secret', `${APP_PATH}/secret`, {}],
  ['trusting a friend', `/account/friends/${DEMO_USERS.bob.id}`, { action: 'trust' }],
  ['removing a card', '/account/funding/remove', {}],
  ['ending the former secret', `${APP_PATH}/secret/end-former`, {}],
  ['deleting an app', `${APP_PATH}/delete`, {}],
];

describe('reauthentication', () => {
  // Shows token-40
  it.each(DANGEROUS)(
    'given a sign-in five minutes ago, when the form for %s is sent, then the password is required and the change is made once it is entered',
    async (name, path, fields) => {
      await waitMinutes(5);
      const before = await app();
      const response = await send(path, fields);
      const page = await response.text();
      expect([response.status, await app(), changes]).toEqual([403, before, []]);
      const wrong = await browser.submit(page, path, { current_password: 'a wrong one' });
      expect([wrong.status, await app(), changes]).toEqual([403, before, []]);
      const oldCookies = new Map(browser.cookies);
      const done = await browser.submit(await wrong.text(), path, { current_password: DEMO_PASSWORD });
      expect([200, 303]).toContain(done.status);
      if (APP_CHANGES.includes(name)) expect(await app()).not.toEqual(before);
      else expect(changes).toHaveLength(1);
      if (fields === APP) {
        const urls = [APP.redirect_url, ...APP.more_redirect_urls.split('\n')];
        expect(await app()).toMatchObject({ description: APP.description, redirect_urls: urls });
      }
      // The previous session has ended: a copy of its cookie is not valid.
      expect((await browser.get('/account/security')).status).toBe(200);
      for (const [name, value] of oldCookies) browser.cookies.set(name, value);
      expect((await browser.get('/account/security')).status).toBe(303);
      await auth.pool.query('update apps set deleted_at = null');
    },
  );

  it.each(DANGEROUS)(
    'given a sign-in four minutes ago, when the form for %s is sent, then the change is made',
    async (_name, path, fields) => {
      await waitMinutes(4);
      expect([200, 303]).toContain((await send(path, fields)).status);
      await auth.pool.query('update apps set deleted_at = null');
    },
  );

  it('given a sign-in an hour ago, when a friend is distrusted, blocked or removed, then the change is made without the password', async () => {
    await waitMinutes(60);
    for (const action of ['distrust', 'block', 'remove']) {
      expect((await send(`/account/friends/${DEMO_USERS.bob.id}`, { action })).status).toBe(303);
    }
    expect(changes).toHaveLength(3);
  });

  it('given many wrong passwords on this page, when the user signs in, then the sign-in is throttled too', async () => {
    await waitMinutes(5);
    const guess = () => send('/account/funding/remove', { current_password: 'a guess' });
    for (let n = 0; n < 10; n += 1) expect((await guess()).status).toBe(403);
    const waiting = await send('/account/funding/remove', { current_password: DEMO_PASSWORD });
    expect([waiting.status, changes]).toEqual([429, []]);
    const page = await (await browser.get('/account/sign-in')).text();
    const signIn = await browser.submit(page, '/account/sign-in', { username: 'alice', password: DEMO_PASSWORD });
    expect(signIn.status).toBe(429);
  });

  it('given a form with a field that is named like a property of every object, when the password is required, then the page does not repeat the field', async () => {
    await waitMinutes(5);
    const path = '/account/funding/remove';
    const page = await (await send(path, { constructor: 'x', toString: 'x' } as Record<string, string>)).text();
    expect(Object.keys(parseForm(page, path).fields).toSorted()).toEqual(['form_token', 'username']);
  });

  it('given a form with the password from another site, when it is sent, then it is refused', async () => {
    await waitMinutes(5);
    const fields = { current_password: DEMO_PASSWORD };
    expect((await browser.post('/account/funding/remove', fields)).status).toBe(403);
    const token = await formToken();
    const origin = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
    const crossSite = await browser.post('/account/funding/remove', { ...fields, form_token: token }, origin);
    expect([crossSite.status, changes]).toEqual([403, []]);
  });
});
