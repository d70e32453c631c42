import { DEMO_APP, DEMO_USERS } from '@settle/contracts';
import { Browser, type Page } from './browser.js';
import { call } from './client.js';
import { NEW_PASSWORD, askToProve, askToSignUp, codeTo, messagesTo, newNames, pageUrl, signUp } from './newcomers.js';
import { unknownEmail } from './people.js';
import { newBrowser } from './sign-in.js';

/** The text of a page, without the values of its user. */
const withoutTokens = (html: string, email: string) =>
  html.replaceAll(/name="form_token" value="[^"]*"/g, '').replaceAll(email, 'E-MAIL');

const signInAt = async (browser: Browser, username: string, password: string, from = '/account/sign-in') =>
  browser.submit(await browser.open(pageUrl(from)), { username, password }, 'Sign in');

const isSignedIn = async (browser: Browser) => (await browser.open(pageUrl('/account'))).url.pathname === '/account';

const wrongOf = (code: string) => (code === '000000' ? '000001' : '000000');

describe('signing up', () => {
  // Shows friend-6
  it('given an address with an account and one without, when each signs up, then the pages are the same, and only the mailbox of the account gets a message', async () => {
    const { email: taken } = DEMO_USERS.carol;
    const pages: string[] = [];
    for (const email of [taken, unknownEmail()]) {
      const browser = newBrowser();
      const page = await askToSignUp(browser, { email });
      const wrong = await browser.submit(page, { code: '12' }, 'Continue');
      pages.push(JSON.stringify([page.status, withoutTokens(page.html, email), withoutTokens(wrong.html, email)]));
    }
    expect(pages[0]).toBe(pages[1]);
    const [told = ''] = await messagesTo(taken);
    expect(told).toContain('It already has an account: carol');
    expect(told).not.toMatch(/\d{6}/);
  });

  it.each([
    // Shows friend-18
    ['a username', { username: 'ab' }, 'Use 3 to 30 letters'],
    ['a username', { username: '4155550101' }, 'Use 3 to 30 letters'],
    // Shows friend-18
    ['a name', { first_name: '<b>' }, 'Use 1 to 60 letters'],
    ['an e-mail address', { email: 'no-address' }, 'This is not a valid e-mail address'],
    ['a phone number', { phone: '+44 20 7946 0000' }, 'This is not a valid US phone number'],
    // Shows friend-19
    ['a password of seven characters', { password: 'seven77' }, 'at least 8'],
    // Shows friend-20
    ['a common password', { password: 'password1' }, 'too common'],
    // Shows friend-20
    ['one’s own address as password', { email: 'own@example.com', password: 'own@example.com' }, 'Your own'],
  ])('given %s that may not be, when signed up with, then the page says so', async (_what, fields, words) => {
    const page = await askToSignUp(newBrowser(), { email: unknownEmail(), ...fields });
    expect([page.status, page.html.includes(words)]).toEqual([400, true]);
  });

  // Shows friend-5
  it('given a username that is taken, in any case, when signed up with, then the page says so', async () => {
    const page = await askToSignUp(newBrowser(), { username: 'Alice', email: unknownEmail() });
    expect([page.status, page.html.includes('Another user already has this username')]).toEqual([400, true]);
  });

  // Shows friend-5
  it('given two who ask for one username, when both prove their addresses, then the first has it and the other may take another', async () => {
    const { username } = newNames();
    const asking = await Promise.all(
      [unknownEmail(), unknownEmail()].map(async (email) => {
        const browser = newBrowser();
        return { browser, email, page: await askToSignUp(browser, { username, email }) };
      }),
    );
    const ends: Page[] = [];
    for (const { browser, email, page } of asking) {
      ends.push(await browser.submit(page, { code: await codeTo(email) }, 'Continue'));
    }
    expect(ends.map(({ status }) => status)).toEqual([200, 409]);
    expect(ends[1]?.html).toContain('Another user already has this username');
  });

  // Shows friend-7
  it('given a code, when it is typed in another browser, or after five wrong ones, then it is worth nothing', async () => {
    const email = unknownEmail();
    const browser = newBrowser();
    const page = await askToSignUp(browser, { email });
    const code = await codeTo(email);
    const other = newBrowser();
    const foreign = await askToSignUp(other, { email: unknownEmail() });
    expect((await other.submit(foreign, { code: wrongOf(code) }, 'Continue')).status).toBe(400);
    expect((await other.submit(foreign, { code }, 'Continue')).status).toBe(400);
    for (let n = 0; n < 5; n += 1) {
      expect((await browser.submit(page, { code: wrongOf(code) }, 'Continue')).status).toBe(400);
    }
    expect((await browser.submit(page, { code }, 'Continue')).status).toBe(400);
    const again = await browser.submit(page, {}, 'Send a new code');
    const fresh = await browser.submit(again, { code: await codeTo(email, 2) }, 'Continue');
    expect(fresh.url.pathname).toBe('/account');
  });

  // Shows friend-9
  it('given one address, when code after code is asked for, then one must wait', async () => {
    const email = unknownEmail();
    const browser = newBrowser();
    let page = await askToSignUp(browser, { email });
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
  it('given sessions in two browsers, when the password changes in one, then only that one goes on, with another id', async () => {
    const person = await signUp();
    const other = newBrowser();
    await signInAt(other, person.email, NEW_PASSWORD);
    expect(await isSignedIn(other)).toBe(true);
    const security = await person.browser.open(pageUrl('/account/security'));
    const fields = { current_password: NEW_PASSWORD, password: 'dry grass at dawn' };
    expect((await person.browser.submit(security, fields, 'Change password')).status).toBe(200);
    expect([await isSignedIn(person.browser), await isSignedIn(other)]).toEqual([true, false]);
    expect((await signInAt(other, person.username, NEW_PASSWORD)).status).toBe(403);
    expect((await signInAt(other, person.username, 'dry grass at dawn')).url.pathname).toBe('/account');

    const signedOut = await other.submit(await other.open(pageUrl('/account/security')), {}, 'Sign out everywhere');
    expect(signedOut.url.pathname).toBe('/account/sign-in');
    expect([await isSignedIn(person.browser), await isSignedIn(other)]).toEqual([false, false]);
  });

  it('given apps with access, when the password is changed, then they keep it without the tick of the check box, and lose it with it', async () => {
    const person = await signUp();
    const path = '/account/security';
    const form = (await person.browser.open(pageUrl(path))).forms.find(({ action }) => action === '/account/password');
    expect(form?.ticked).toEqual([['end_apps', 'yes']]);
    const unticked = { ...form?.fields, current_password: NEW_PASSWORD, password: 'dry grass at dawn' };
    const kept = await person.browser.send(pageUrl('/account/password'), 'POST', new URLSearchParams(unticked));
    expect(kept.url.search).toBe('?done=password');
    expect((await call('/me', { token: person.token })).status).toBe(200);

    const fields = { current_password: 'dry grass at dawn', password: 'late snow at noon' };
    const ended = await person.browser.submit(await person.browser.open(pageUrl(path)), fields, 'Change password');
    expect([ended.status, ended.html.includes('all apps have lost access')]).toEqual([200, true]);
    const refused = await call('/me', { token: person.token });
    expect([refused.status, refused.body.error.code]).toEqual([401, 'revoked_token']);
    expect((await person.browser.open(pageUrl('/account/apps'))).html).not.toContain(DEMO_APP.name);
  });

  // Shows friend-6
  it('given an address with an account and one without, when a password is forgotten, then the pages are the same', async () => {
    const person = await signUp();
    const pages: string[] = [];
    for (const email of [person.email, unknownEmail()]) {
      const browser = newBrowser();
      const asked = await browser.submit(await browser.open(pageUrl('/account/reset')), { email }, 'Send a code');
      const fields = { code: '12', password: 'fresh snow at night' };
      const wrong = await browser.submit(asked, fields, 'Continue');
      pages.push(JSON.stringify([asked.status, withoutTokens(asked.html, email), withoutTokens(wrong.html, email)]));
      if (email !== person.email) continue;
      const code = await codeTo(email, 2);
      const done = await browser.submit(asked, { ...fields, code }, 'Continue');
      expect([done.url.pathname, done.url.search]).toEqual(['/account/sign-in', '?done=reset']);
      expect((await browser.submit(asked, { ...fields, code }, 'Continue')).status).toBe(400);
    }
    expect(pages[0]).toBe(pages[1]);
    expect(await isSignedIn(person.browser)).toBe(false);
    // An app that was authorized in an earlier session may belong to the attacker.
    const refused = await call('/me', { token: person.token });
    expect([refused.status, refused.body.error.code]).toEqual([401, 'revoked_token']);
    expect((await signInAt(newBrowser(), person.email, 'fresh snow at night')).url.pathname).toBe('/account');
  });

  // Shows friend-15
  it('given forms of an account, when they come without their token, or from elsewhere, then nothing happens', async () => {
    const person = await signUp();
    const form = new URLSearchParams({ address: unknownEmail(), first_name: 'Eve', last_name: 'E', about: '' });
    form.set('default_audience', 'public');
    for (const path of ['/account', '/account/addresses/email', '/account/password', '/account/sign-out-everywhere']) {
      expect([path, (await person.browser.send(pageUrl(path), 'POST', form)).status]).toEqual([path, 403]);
      const stranger = await newBrowser().send(pageUrl(path), 'POST', form);
      expect([path, stranger.url.pathname]).toEqual([path, '/account/sign-in']);
    }
    const account = await person.browser.open(pageUrl('/account'));
    expect(account.html).toContain('Nora Newman');
    for (const path of ['/account/sign-up', '/account/sign-in', '/account/reset', '/account/sign-out']) {
      expect([path, (await newBrowser().send(pageUrl(path), 'POST', form)).status]).toEqual([path, 403]);
    }
  });

  it('given an e-mail address of one person, when another has proven it, then it signs in and resets for that one alone', async () => {
    const first = await signUp();
    const second = await signUp();
    const page = await askToProve(second, 'email', first.email);
    await second.browser.submit(page, { code: await codeTo(first.email, 2) }, 'Continue');
    const browser = newBrowser();
    await signInAt(browser, first.email, NEW_PASSWORD);
    expect((await browser.open(pageUrl('/account'))).html).toContain(`@${second.username}`);
    expect((await signInAt(newBrowser(), first.username, NEW_PASSWORD)).url.pathname).toBe('/account');
  });
});
