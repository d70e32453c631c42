import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { DEMO_APP, DEMO_PASSWORD } from '@settle/contracts';
import type { Page } from './browser.js';
import { baseUrl, call } from './client.js';
import { openSignedInBrowser } from './developer.js';
import { authorizeUrl, callbackUrl, formTargets, newBrowser, signIn } from './sign-in.js';
import type { WireMe } from './wire.js';

const SCOPE = 'make_payments access_profile';
const TOKEN_COMMAND = fileURLToPath(new URL('../../../tools/token.mjs', import.meta.url));

describe('the authorization pages', () => {
  const allow = async (username: string, request: Parameters<typeof signIn>[2] = { scope: SCOPE }) => {
    const browser = newBrowser();
    return browser.submit(await signIn(browser, username, request), {}, 'Allow');
  };

  // Shows authorize-28
  it('given no session, when authorization is requested, then a sign-in form without scripts and with a strict policy is returned', async () => {
    const page = await newBrowser().open(authorizeUrl({ scope: SCOPE }));
    expect(page.status).toBe(200);
    expect(Object.keys(page.forms[0]?.fields ?? {})).toEqual(expect.arrayContaining(['username', 'password']));
    expect(page.html).not.toMatch(/<script/i);
    expect(page.html).toMatch(/<meta[^>]+viewport/i);
    expect(formTargets(page)).toContain("'self'");
    const policy = page.headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(/default-src 'none'|default-src 'self'/);
    expect(policy).toMatch(/frame-ancestors 'none'/);
    expect(policy).not.toMatch(/unsafe-(inline|eval)/);
    expect(page.headers.get('cache-control')).toContain('no-store');
  });

  // Shows authorize-1, authorize-2, authorize-5, authorize-7, authorize-13, authorize-14, authorize-26
  it.each(['alice', 'alice@example.com', 'ALICE@example.com', '(415) 555-0101'])(
    'given %s and the password, when the user allows, then a token of alice comes back in the query',
    async (username) => {
      const back = await allow(username, { scope: SCOPE, state: 'a b&c=d/é' });
      expect(back.url.href.startsWith(`${callbackUrl()}?`)).toBe(true);
      expect(back.url.hash).toBe('');
      expect(back.url.searchParams.get('state')).toBe('a b&c=d/é');
      const token = back.url.searchParams.get('access_token') ?? '';
      expect(token.length).toBeGreaterThanOrEqual(43);
      const me = await call<WireMe>('/me', { token });
      expect([me.status, me.body.data.user.username]).toEqual([200, 'alice']);
    },
  );

  // Shows authorize-1, authorize-20, authorize-25
  it('given an authorization request, when the consent page is opened, then it shows app, scopes, lifetime, redirect target and both buttons', async () => {
    const page = await signIn(newBrowser(), 'bob', { scope: SCOPE });
    expect(page.html).toContain(DEMO_APP.name);
    expect(page.html).toMatch(/30 minutes/);
    expect(page.html).toContain(new URL(callbackUrl()).host);
    const labels = page.forms.flatMap(({ buttons }) => buttons.map(({ label }) => label));
    expect(labels).toEqual(expect.arrayContaining(['Allow', 'Deny']));
  });

  // Shows authorize-9
  it('given a redirect to another port, when authorization is requested, then it is followed only if the address is a loopback IP', async () => {
    const redirect = new URL(callbackUrl());
    redirect.port = '9';
    const request = { scope: SCOPE, redirect_uri: redirect.href };
    if (redirect.hostname !== '127.0.0.1') {
      expect((await newBrowser().open(authorizeUrl(request))).status).toBe(400);
      return;
    }
    const browser = newBrowser();
    const page = await signIn(browser, 'bob', request);
    expect(page.html).toContain(`<strong><bdi>${redirect.host}</bdi></strong>`);
    const back = await browser.submit(page, {}, 'Allow');
    expect(back.url.origin + back.url.pathname).toBe(redirect.href);
  });

  // Shows authorize-16
  it('given the consent page, when the user denies, then access_denied and the state come back and no token', async () => {
    const browser = newBrowser();
    const back = await browser.submit(await signIn(browser, 'bob', { scope: SCOPE, state: 's1' }), {}, 'Deny');
    expect(back.url.origin + back.url.pathname).toBe(callbackUrl());
    expect([back.url.searchParams.get('error'), back.url.searchParams.get('state')]).toEqual(['access_denied', 's1']);
    expect(back.url.href).not.toContain('access_token');
  });

  // Shows authorize-27
  it('given a wrong password or an unknown user, when the form is sent, then the same form comes back for both', async () => {
    const responses: Page[] = [];
    for (const username of ['carol', 'unknown-user']) {
      const browser = newBrowser();
      const form = await browser.open(authorizeUrl({ scope: SCOPE }));
      responses.push(await browser.submit(form, { username, password: 'not-this-one' }));
    }
    expect(responses[0]?.status).toBe(responses[1]?.status);
    for (const page of responses) {
      expect(page.url.pathname).not.toBe(DEMO_APP.redirectPath);
      expect(Object.keys(page.forms[0]?.fields ?? {})).toContain('password');
      expect(page.html).not.toContain('not-this-one');
    }
  });

  // Shows authorize-19
  it('given a session, when another authorization starts, then consent is requested again without a password', async () => {
    const browser = newBrowser();
    await browser.submit(await signIn(browser, 'bob', { scope: SCOPE }), {}, 'Allow');
    const again = await browser.open(authorizeUrl({ scope: SCOPE }));
    expect(again.forms.flatMap(({ buttons }) => buttons.map(({ label }) => label))).toContain('Allow');
    expect(Object.keys(again.forms[0]?.fields ?? {})).not.toContain('password');
  });

  // Shows authorize-30
  it('given forms without their hidden fields, when they are sent, then neither sign-in nor consent is accepted', async () => {
    const browser = newBrowser();
    const form = await browser.open(authorizeUrl({ scope: SCOPE }));
    const action = new URL(form.forms[0]?.action ?? '', form.url);
    const bare = await browser.send(action, 'POST', new URLSearchParams({ username: 'bob', password: DEMO_PASSWORD }));
    expect(bare.status).toBeGreaterThanOrEqual(400);
    const consent = await signIn(browser, 'bob', { scope: SCOPE });
    const target = consent.forms.find(({ buttons }) => buttons.some(({ label }) => label === 'Allow'));
    const button = target?.buttons.find(({ label }) => label === 'Allow');
    const pressed = new URLSearchParams({ [button?.name ?? '']: button?.value ?? '' });
    const forged = await browser.send(new URL(target?.action ?? '', consent.url), 'POST', pressed);
    expect([forged.status >= 400, forged.url.href.includes('access_token')]).toEqual([true, false]);
  });

  // Shows authorize-29
  it('given a consent page that was answered, when it is sent again, then no second token is issued', async () => {
    const browser = newBrowser();
    const page = await signIn(browser, 'bob', { scope: SCOPE });
    expect((await browser.submit(page, {}, 'Allow')).url.searchParams.has('access_token')).toBe(true);
    const again = await browser.submit(page, {}, 'Allow');
    expect([again.status, again.url.pathname]).toEqual([400, '/v1/oauth/consent']);
  });

  // Shows authorize-29
  it.each(['bob', 'carol'])(
    'given a consent page that bob opened, when another session of %s sends it, then no token is issued',
    async (username) => {
      const shown = await signIn(newBrowser(), 'bob', { scope: SCOPE });
      const browser = newBrowser();
      const own = await signIn(browser, username, { scope: SCOPE });
      const { request = '' } = shown.forms[0]?.fields ?? {};
      expect([request.length, request === own.forms[0]?.fields.request]).toEqual([43, false]);
      const response = await browser.submit(own, { request }, 'Allow');
      expect([response.status, response.url.pathname]).toEqual([400, '/v1/oauth/consent']);
      const bare = await browser.submit(shown, {}, 'Allow');
      expect([bare.status, bare.url.pathname]).toEqual([403, '/v1/oauth/consent']);
    },
  );

  it.each(['prompt=none', 'approval_prompt=auto', 'decision=allow'])(
    'given %s in the request, when there is a session, then consent is requested nevertheless',
    async (wish) => {
      const browser = newBrowser();
      // No user has granted these scopes yet, so no consent is remembered.
      const scope = 'access_phone access_payment_history';
      await signIn(browser, 'bob', { scope });
      for (const response_type of ['token', 'code']) {
        const page = await browser.open(`${authorizeUrl({ scope, response_type })}&${wish}`);
        const labels = page.forms[0]?.buttons.map(({ label }) => label);
        expect([page.status, labels]).toEqual([200, expect.arrayContaining(['Deny', 'Allow'])]);
      }
    },
  );

  it.each([
    // Shows authorize-3
    { why: 'no scope', request: { scope: undefined }, error: 'invalid_scope' },
    // Shows authorize-3
    { why: 'an unknown scope', request: { scope: 'make_payments fly' }, error: 'invalid_scope' },
    {
      // Shows authorize-6
      why: 'an unknown response type',
      request: { scope: SCOPE, response_type: 'bogus' },
      error: 'unsupported_response_type',
    },
  ])(
    'given $why, when authorization is requested, then $error is returned to the app with the state',
    async ({ request, error }) => {
      const bare = await newBrowser().open(authorizeUrl({ ...request, state: 's2' }));
      expect([bare.status, bare.url.origin]).toEqual([400, new URL(baseUrl()).origin]);
      expect(bare.html).toContain(`error=${error}`);
      const back = await (await openSignedInBrowser('alice')).open(authorizeUrl({ ...request, state: 's2' }));
      expect(back.url.origin + back.url.pathname).toBe(callbackUrl());
      expect([back.url.searchParams.get('error'), back.url.searchParams.get('state')]).toEqual([error, 's2']);
    },
  );

  // Shows authorize-2
  it('given scopes separated by a comma, when authorization is requested, then they are read', async () => {
    const back = await allow('alice', { scope: 'access_profile,access_email' });
    const token = back.url.searchParams.get('access_token') ?? '';
    expect((await call<WireMe>('/me', { token })).body.data.user.email).toBe('alice@example.com');
  });

  it.each([
    // Shows authorize-10
    { why: 'a foreign redirect', request: { redirect_uri: 'https://evil.example/developers/callback' } },
    {
      // Shows authorize-8
      why: 'another path',
      request: { redirect_uri: `${new URL(process.env.BASE_URL ?? 'http://x').origin}/elsewhere` },
    },
    // Shows authorize-12
    { why: 'an unknown app', request: { client_id: 'no-such-app' } },
    {
      // Shows request-34
      why: 'an unknown app with every other fault',
      request: { client_id: 'no-such-app', scope: 'fly', response_type: 'bogus' },
    },
  ])(
    'given $why, when authorization is requested, then an error page without a redirect is returned',
    async ({ request }) => {
      const response = await call(authorizeUrl({ scope: SCOPE, ...request }));
      expect([response.status, response.headers.get('location')]).toEqual([400, null]);
      expect(response.headers.get('content-type')).toMatch(/text\/html/);
    },
  );

  // Shows authorize-31
  it('given markup in the address, when the pages are opened, then they show it as text', async () => {
    const evil = '"><script>alert(1)</script>';
    const pages = [
      await newBrowser().open(authorizeUrl({ scope: SCOPE, state: evil })),
      await newBrowser().open(authorizeUrl({ scope: SCOPE, client_id: evil })),
      await newBrowser().open(`${callbackUrl()}?access_token=${encodeURIComponent(evil)}`),
    ];
    for (const page of pages) expect(page.html).not.toContain('<script>alert');
  });

  // Shows demo-4
  it('given the token command, when it is run, then the token is that of the user and has those scopes', async () => {
    const { origin } = new URL(baseUrl());
    const args = ['--user', 'bob', '--scope', 'access_profile', '--url', origin];
    const { stdout } = await promisify(execFile)(process.execPath, [TOKEN_COMMAND, ...args]);
    const token = stdout.trim();
    expect((await call<WireMe>('/me', { token })).body.data.user.username).toBe('bob');
    expect((await call('/payments', { method: 'POST', token })).body.error.code).toBe('insufficient_scope');
  });

  // Shows demo-8
  it('given the callback page, when it is opened, then it shows the token, and the base address is correct', async () => {
    const back = await allow('bob');
    const page = await call(back.url.href);
    expect(page.status).toBe(200);
    expect(page.text).toContain(back.url.searchParams.get('access_token'));
    expect(page.headers.get('referrer-policy')).toBe('no-referrer');
    expect(new URL(baseUrl()).origin).toBe(back.url.origin);
  });
});
