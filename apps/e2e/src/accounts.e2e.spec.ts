import { DEMO_APP, DEMO_USERS } from '@settle/contracts';
import { Browser, type Page } from './browser.js';
import { call } from './client.js';
import {
  NEW_PASSWORD,
  requestVerification,
  submitSignUp,
  awaitCode,
  fetchMessages,
  drawNames,
  pageUrl,
  signUp,
} from './sign-up.js';
import { unknownEmail } from './users.js';
import { newBrowser } from './sign-in.js';

/** Returns the text of a page without the values of its user. */
const stripUserValues = (html: string, email: string) =>
  html.replaceAll(/name="form_token" value="[^"]*"/g, '').replaceAll(email, 'E-MAIL');

const signInAt = async (browser: Browser, username: string, password: string, from = '/account/sign-in') =>
  browser.submit(await browser.open(pageUrl(from)), { username, password }, 'Sign in');

const isSignedIn = async (browser: Browser) => (await browser.open(pageUrl('/account'))).url.pathname === '/account';

const wrongOf = (code: string) => (code === '000000' ? '000001' : '000000');

describe('signing up', () => {
  // Shows friend-6
  it('given an address with an account and one without, when each signs up, then both get the same pages and only the mailbox of the account gets a message', async () => {
    const { email: taken } = DEMO_USERS.carol;
    const pages: string[] = [];
    for (const email of [taken, unknownEmail()]) {
      const browser = newBrowser();
      const page = await submitSignUp(browser, { email });
      const wrong = await browser.submit(page, { code: '12' }, 'Continue');
      pages.push(JSON.stringify([page.status, stripUserValues(page.html, email), stripUserValues(wrong.html, email)]));
    }
    expect(pages[0]).toBe(pages[1]);
    const [told = ''] = await fetchMessages(taken);
    expect(told).toContain('It already has an account: carol');
    expect(told).not.toMatch(/\d{6}/);
  });

  it.each([
    // Shows friend-18
    ['a username', { username: 'ab' }, 'Use 3 to 30 letters'],
    ['a username', { username: '4155550101' }, 'Use 3 to 30 letters'],
    // Shows friend-18
    ['a name', { first_name: '<b>' }, 'Use letters, digits, spaces'],
    ['an e-mail address', { email: 'no-address' }, 'This is not a valid e-mail address'],
    ['a phone number', { phone: '+44 20 7946 0000' }, 'This is not a valid US phone number'],
    // Shows friend-19
    ['a password of seven characters', { password: 'seven77' }, 'at least 8'],
    // Shows friend-20
    ['a common password', { password: 'password1' }, 'too common'],
    // Shows friend-20
    ['the address itself as password', { email: 'own@example.com', password: 'own@example.com' }, 'Your own'],
  ])(
    'given an invalid value for %s, when it is sent to sign up, then the page names the problem',
    async (_what, fields, words) => {
      const page = await submitSignUp(newBrowser(), { email: unknownEmail(), ...fields });
      expect([page.status, page.html.includes(words)]).toEqual([400, true]);
    },
  );

  // Shows friend-5
  it('given a username that is taken in any letter case, when another user signs up with it, then the page says so', async () => {
    const page = await submitSignUp(newBrowser(), { username: 'Alice', email: unknownEmail() });
    expect([page.status, page.html.includes('Another user already has this username')]).toEqual([400, true]);
  });

  // Shows friend-5
  it('given two users who request one username, when both verify their addresses, then the first gets it and the other may choose another', async () => {
    const { username } = drawNames();
    const asking = await Promise.all(
      [unknownEmail(), unknownEmail()].map(async (email) => {
        const browser = newBrowser();
        return { browser, email, page: await submitSignUp(browser, { username, email }) };
      }),
    );
    const ends: Page[] = [];
    for (const { browser, email, page } of asking) {
      ends.push(await browser.submit(page, { code: await awaitCode(email) }, 'Continue'));
    }
    expect(ends.map(({ status }) => status)).toEqual([200, 409]);
    expect(ends[1]?.html).toContain('Another user already has this username');
  });

  // Shows friend-7
  it('given a code, when it is entered in another browser or after five wrong ones, then it is rejected', async () => {
    const email = unknownEmail();
    const browser = newBrowser();
    const page = await submitSignUp(browser, { email });
    const code = await awaitCode(email);
    const other = newBrowser();
    const foreignForm = await submitSignUp(other, { email: unknownEmail() });
    expect((await other.submit(foreignForm, { code: wrongOf(code) }, 'Continue')).status).toBe(400);
    expect((await other.submit(foreignForm, { code }, 'Continue')).status).toBe(400);
    for (let n = 0; n < 5; n += 1) {
      expect((await browser.submit(page, { code: wrongOf(code) }, 'Continue')).status).toBe(400);
    }
    expect((await browser.submit(page, { code }, 'Continue')).status).toBe(400);
    const again = await browser.submit(page, {}, 'Send a new code');
    const fresh = await browser.submit(again, { code: await awaitCode(email, 2) }, 'Continue');
    expect(fresh.url.pathname).toBe('/account');
  });

  // Shows friend-9
  it('given one address, when codes are requested repeatedly, then the user must wait between them', async () => {
    const email = unknownEmail();
    const browser = newBrowser();
    let page = await submitSignUp(browser, { email });
    for (let n = 0; n < 2; n += 1) page = await browser.submit(page, {}, 'Send a new code');
    const refused = await browser.submit(page, {}, 'Send a new code');
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(30);
  });

  // Shows friend-22
  it.each(['//evil.test', '/\\evil.test', 'https://evil.test/account', '/.//evil.test', '/v1/me'])(
    'given %s as return path, when a user signs in, then the browser stays on this site',
    async (trick) => {
      const from = `/account/sign-in?return_to=${encodeURIComponent(trick)}`;
      const page = await signInAt(newBrowser(), 'alice', 'demo-password', from);
      expect(page.url.href).toBe(pageUrl('/account').href);
    },
  );
});

describe('passwords and sessions', () => {
  // Shows friend-13
  it('given sessions in two browsers, when the password is changed in one, then only that session continues and it has a new id', async () => {
    const user = await signUp();
    const other = newBrowser();
    await signInAt(other, user.email, NEW_PASSWORD);
    expect(await isSignedIn(other)).toBe(true);
    const security = await user.browser.open(pageUrl('/account/security'));
    const fields = { current_password: NEW_PASSWORD, password: 'dry grass at dawn' };
    expect((await user.browser.submit(security, fields, 'Change password')).status).toBe(200);
    expect([await isSignedIn(user.browser), await isSignedIn(other)]).toEqual([true, false]);
    expect((await signInAt(other, user.username, NEW_PASSWORD)).status).toBe(403);
    expect((await signInAt(other, user.username, 'dry grass at dawn')).url.pathname).toBe('/account');

    const signedOut = await other.submit(await other.open(pageUrl('/account/security')), {}, 'Sign out everywhere');
    expect(signedOut.url.pathname).toBe('/account/sign-in');
    expect([await isSignedIn(user.browser), await isSignedIn(other)]).toEqual([false, false]);
  });

  it('given apps with access, when the password is changed, then they lose access only if the check box is ticked', async () => {
    const user = await signUp();
    const path = '/account/security';
    const form = (await user.browser.open(pageUrl(path))).forms.find(({ action }) => action === '/account/password');
    expect(form?.ticked).toEqual([['end_apps', 'yes']]);
    const unticked = { ...form?.fields, current_password: NEW_PASSWORD, password: 'dry grass at dawn' };
    const kept = await user.browser.send(pageUrl('/account/password'), 'POST', new URLSearchParams(unticked));
    expect(kept.url.search).toBe('?done=password');
    expect((await call('/me', { token: user.token })).status).toBe(200);

    const fields = { current_password: 'dry grass at dawn', password: 'late snow at noon' };
    const ended = await user.browser.submit(await user.browser.open(pageUrl(path)), fields, 'Change password');
    expect([ended.status, ended.html.includes('all apps have lost access')]).toEqual([200, true]);
    const refused = await call('/me', { token: user.token });
    expect([refused.status, refused.body.error.code]).toEqual([401, 'revoked_token']);
    expect((await user.browser.open(pageUrl('/account/apps'))).html).not.toContain(DEMO_APP.name);
  });

  // Shows friend-6
  it('given an address with an account and one without, when a password reset is requested, then the pages are the same', async () => {
    const user = await signUp();
    const pages: string[] = [];
    for (const email of [user.email, unknownEmail()]) {
      const browser = newBrowser();
      const resetPage = await browser.submit(await browser.open(pageUrl('/account/reset')), { email }, 'Send a code');
      const fields = { code: '12', password: 'fresh snow at night' };
      const wrong = await browser.submit(resetPage, fields, 'Continue');
      pages.push(
        JSON.stringify([resetPage.status, stripUserValues(resetPage.html, email), stripUserValues(wrong.html, email)]),
      );
      if (email !== user.email) continue;
      const code = await awaitCode(email, 2);
      const done = await browser.submit(resetPage, { ...fields, code }, 'Continue');
      expect([done.url.pathname, done.url.search]).toEqual(['/account/sign-in', '?done=reset']);
      expect((await browser.submit(resetPage, { ...fields, code }, 'Continue')).status).toBe(400);
    }
    expect(pages[0]).toBe(pages[1]);
    expect(await isSignedIn(user.browser)).toBe(false);
    // An app that was authorized in an earlier session may belong to the attacker.
    const refused = await call('/me', { token: user.token });
    expect([refused.status, refused.body.error.code]).toEqual([401, 'revoked_token']);
    expect((await signInAt(newBrowser(), user.email, 'fresh snow at night')).url.pathname).toBe('/account');
  });

  // Shows friend-15
  it('given account forms without their token or from another site, when they are sent, then nothing changes', async () => {
    const user = await signUp();
    const form = new URLSearchParams({ address: unknownEmail(), first_name: 'Eve', last_name: 'E', about: '' });
    form.set('default_audience', 'public');
    for (const path of ['/account', '/account/addresses/email', '/account/password', '/account/sign-out-everywhere']) {
      expect([path, (await user.browser.send(pageUrl(path), 'POST', form)).status]).toEqual([path, 403]);
      const stranger = await newBrowser().send(pageUrl(path), 'POST', form);
      expect([path, stranger.url.pathname]).toEqual([path, '/account/sign-in']);
    }
    const account = await user.browser.open(pageUrl('/account'));
    expect(account.html).toContain('Nora Newman');
    for (const path of ['/account/sign-up', '/account/sign-in', '/account/reset', '/account/sign-out']) {
      expect([path, (await newBrowser().send(pageUrl(path), 'POST', form)).status]).toEqual([path, 403]);
    }
  });

  it('given an e-mail address of one user, when another user verifies it, then sign-in and reset with it work for that other user alone', async () => {
    const first = await signUp();
    const second = await signUp();
    const page = await requestVerification(second, 'email', first.email);
    await second.browser.submit(page, { code: await awaitCode(first.email, 2) }, 'Continue');
    const browser = newBrowser();
    await signInAt(browser, first.email, NEW_PASSWORD);
    expect((await browser.open(pageUrl('/account'))).html).toContain(`@${second.username}`);
    expect((await signInAt(newBrowser(), first.username, NEW_PASSWORD)).url.pathname).toBe('/account');
  });
});
