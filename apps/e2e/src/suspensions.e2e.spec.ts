import { call, sandboxUrl } from './client.js';
import { openAppPage, registerApp, createSecret, pageHref, openSignedInBrowser } from './developer.js';
import { signUp } from './sign-up.js';
import { runUserCommand, runOperatorCommand } from './operator.fixture.js';
import {
  requestTokens,
  authorize,
  basic,
  expectRevoked,
  readRefusal,
  fetchStatus,
} from './server-side-flow.fixture.js';
import { authorizeUrl, callbackUrl, newBrowser, signIn } from './sign-in.js';

const SCOPE = 'make_payments access_profile';
/** The promised time of a revocation. */
const REFUSED_WITHIN_MS = 1_000;
/** Operations in production and in the sandbox that read, pay and act. */
const ROUTES = [
  ...['GET /me', 'GET /users/USER', 'GET /users/USER/friends', 'GET /payments', 'GET /payments/1'],
  ...['POST /payments', 'PUT /payments/1'],
] as const;

/** Returns status and code of every route in both environments. */
async function fetchStatuses(token: string, userId: string): Promise<Set<string>> {
  const page = ROUTES.flatMap((route) => {
    const [method = '', path = ''] = route.replace('USER', userId).split(' ');
    return [path, sandboxUrl() + path].map((target) => call(target, { method, token }));
  });
  return new Set((await Promise.all(page)).map(({ status, body }) => `${status} ${body.error?.code ?? ''}`));
}

/** Runs an operator command and checks that every gateway rejects the token in the promised time after it. */
async function expectRefusedInTime(token: string, words: readonly string[]): Promise<void> {
  const { code, output, complaint } = await runOperatorCommand(...words);
  const sinceMs = performance.now();
  expect([code, output === '', complaint.includes('"operator":"jo"')]).toEqual([0, false, true]);
  expect(await expectRevoked(token)).toBeLessThan(sinceMs + REFUSED_WITHIN_MS);
}

describe('an app that an operator suspends', () => {
  it('given its token in use, when it is suspended, then it has no access until it is resumed, and its developer sees why', async () => {
    const developer = await openSignedInBrowser('alice');
    const client_id = await registerApp(developer, { name: 'Suspended', redirect_url: callbackUrl() });
    const secret = await createSecret(developer, client_id);
    const headers = basic(client_id, secret);
    const obtainCode = async () => (await authorize('carol', { client_id, scope: SCOPE })).get('code') ?? '';
    const { tokens } = await requestTokens({ code: await obtainCode() }, headers);
    const code = await obtainCode();
    for (let n = 0; n < 4; n += 1) expect(await fetchStatus(tokens.access_token)).toBe(200);

    await expectRefusedInTime(tokens.access_token, ['suspend-app', client_id, '--operator=jo']);
    expect(await fetchStatuses(tokens.access_token, tokens.user.id)).toEqual(new Set(['401 revoked_token']));
    for (const form of [{ code }, { refresh_token: tokens.refresh_token }]) {
      expect(readRefusal(await requestTokens(form, headers))).toEqual([401, 'invalid_client']);
    }
    for (const response_type of ['code', 'token']) {
      const page = await newBrowser().open(authorizeUrl({ client_id, scope: SCOPE, response_type }));
      // The error is on a page of the product: the browser is not redirected to the app.
      expect([page.status, page.url.pathname]).toEqual([403, '/v1/oauth/authorize']);
      expect(page.html).toContain('This app is suspended');
    }
    expect((await developer.open(pageHref('/developers'))).html).toMatch(
      new RegExp(`apps/${client_id}"><bdi>Suspended</bdi></a> <span class="tag open">suspended`),
    );
    expect((await openAppPage(developer, client_id)).html).toContain('This app is suspended');

    expect((await runOperatorCommand('resume-app', client_id)).code).toBe(0);
    const consent = await signIn(newBrowser(), 'carol', { client_id, scope: SCOPE, response_type: 'code' });
    expect(consent.html).toContain('Allow');
    const { tokens: later } = await requestTokens({ code: await obtainCode() }, headers);
    expect([await fetchStatus(later.access_token), await fetchStatus(tokens.access_token)]).toEqual([200, 401]);
    const former = await requestTokens({ refresh_token: tokens.refresh_token }, headers);
    expect(readRefusal(former)).toEqual([400, 'invalid_grant']);
  });

  it('given an unknown app, when it is suspended, then the command says so and exits with 1', async () => {
    const { code, output, complaint } = await runOperatorCommand('suspend-app', '77');
    expect([code, output, complaint]).toEqual([1, '', 'There is no app with the client_id "77"\n']);
  });
});

describe('a user whose sessions an operator ends', () => {
  // Shows scope-15
  it('given a user with sessions and tokens in use, when an operator ends them, then both are rejected within a second', async () => {
    const { username, browser, token, id } = await signUp();
    for (let n = 0; n < 4; n += 1) expect(await fetchStatus(token)).toBe(200);
    expect((await browser.open(pageHref('/account/security'))).url.pathname).toBe('/account/security');
    await expectRefusedInTime(token, ['end-sessions', username, '--operator=jo']);
    expect(await fetchStatuses(token, id)).toEqual(new Set(['401 revoked_token']));
    expect((await browser.open(pageHref('/account/security'))).url.pathname).toBe('/account/sign-in');
  });

  // Shows scope-14
  it('given a token in use, when its user is frozen for reading, then every route returns account_frozen, and works after that', async () => {
    const { username, browser, token, id } = await signUp();
    for (let n = 0; n < 4; n += 1) expect(await fetchStatus(token)).toBe(200);
    expect(await runUserCommand(`${username} --frozen-for-reading`)).toMatch(
      /frozen {9}yes\n {2}frozen-for-reading yes\n$/,
    );
    const sinceMs = performance.now();
    const acceptedSentAtMs = await expectRevoked(token, [403, 'account_frozen']);
    expect(acceptedSentAtMs).toBeLessThan(sinceMs + REFUSED_WITHIN_MS);
    expect(await fetchStatuses(token, id)).toEqual(new Set(['403 account_frozen']));
    for (const path of ['/account', '/account/security', '/developers']) {
      const { status, html } = await browser.open(pageHref(path));
      expect([path, status, html.includes('Your account is frozen')]).toEqual([path, 403, true]);
    }
    expect(await runUserCommand(`${username} --no-frozen`)).toMatch(/frozen {9}no\n {2}frozen-for-reading no\n$/);
    for (let n = 0; n < 4; n += 1) expect(await fetchStatus(token)).toBe(200);
    expect((await browser.open(pageHref('/account/security'))).status).toBe(200);
  });
});
