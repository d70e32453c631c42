import { eventually } from '@settle/testing';
import { call, sandboxUrl } from './client.js';
import { appPage, newApp, newSecret, pageAt, signedInBrowser } from './developer.js';
import { signUp } from './newcomers.js';
import { asOperator, operator } from './operator.fixture.js';
import { askForTokens, authorize, basic, expectDead, refused, statusOf } from './server-side-flow.fixture.js';
import { authorizeUrl, callbackUrl, newBrowser, signIn } from './sign-in.js';

const SCOPE = 'make_payments access_profile';
/** What the document promises of revocations. */
const REFUSED_WITHIN_MS = 1_000;
/** Of the interface and of the sandbox: reading, paying, deciding. */
const ROUTES = [
  ...['GET /me', 'GET /users/USER', 'GET /users/USER/friends', 'GET /payments', 'GET /payments/1'],
  ...['POST /payments', 'PUT /payments/1'],
] as const;

/** Status and code of every route, in both environments. */
async function answersTo(token: string, userId: string): Promise<Set<string>> {
  const asked = ROUTES.flatMap((route) => {
    const [method = '', path = ''] = route.replace('USER', userId).split(' ');
    return [path, sandboxUrl() + path].map((target) => call(target, { method, token }));
  });
  return new Set((await Promise.all(asked)).map(({ status, body }) => `${status} ${body.error?.code ?? ''}`));
}

/** What an operator's command does, and how long after its end a gateway may still let the token in. */
async function expectRefusedInTime(token: string, words: readonly string[]): Promise<void> {
  const { code, output, complaint } = await operator(...words);
  const sinceMs = performance.now();
  expect([code, output === '', complaint.includes('"operator":"jo"')]).toEqual([0, false, true]);
  await expectDead(token);
  expect(performance.now() - sinceMs).toBeLessThan(REFUSED_WITHIN_MS);
}

describe('an app that an operator suspends', () => {
  it('given its token in use, when it is suspended, then it has no way in until resumed, and its developer sees why', async () => {
    const developer = await signedInBrowser('alice');
    const client_id = await newApp(developer, { name: 'Suspended', redirect_url: callbackUrl() });
    const secret = await newSecret(developer, client_id);
    const headers = basic(client_id, secret);
    const newCode = async () => (await authorize('carol', { client_id, scope: SCOPE })).get('code') ?? '';
    const { tokens } = await askForTokens({ code: await newCode() }, headers);
    const code = await newCode();
    for (let n = 0; n < 4; n += 1) expect(await statusOf(tokens.access_token)).toBe(200);

    await expectRefusedInTime(tokens.access_token, ['suspend-app', client_id, '--operator=jo']);
    expect(await answersTo(tokens.access_token, tokens.user.id)).toEqual(new Set(['401 revoked_token']));
    for (const form of [{ code }, { refresh_token: tokens.refresh_token }]) {
      expect(refused(await askForTokens(form, headers))).toEqual([401, 'invalid_client']);
    }
    for (const response_type of ['code', 'token']) {
      const asked = await newBrowser().open(authorizeUrl({ client_id, scope: SCOPE, response_type }));
      // On a page of our own: the browser is not redirected to the app.
      expect([asked.status, asked.url.pathname]).toEqual([403, '/v1/oauth/authorize']);
      expect(asked.html).toContain('This app is suspended');
    }
    expect((await developer.open(pageAt('/developers'))).html).toMatch(
      new RegExp(`apps/${client_id}"><bdi>Suspended</bdi></a> <span class="tag open">suspended`),
    );
    expect((await appPage(developer, client_id)).html).toContain('This app is suspended');

    expect((await operator('resume-app', client_id)).code).toBe(0);
    const consent = await signIn(newBrowser(), 'carol', { client_id, scope: SCOPE, response_type: 'code' });
    expect(consent.html).toContain('Allow');
    const { tokens: later } = await askForTokens({ code: await newCode() }, headers);
    expect([await statusOf(later.access_token), await statusOf(tokens.access_token)]).toEqual([200, 401]);
    const former = await askForTokens({ refresh_token: tokens.refresh_token }, headers);
    expect(refused(former)).toEqual([400, 'invalid_grant']);
  }, 30_000);

  it('given an app that is not there, when it is suspended, then the command says so and ends with 1', async () => {
    const { code, output, complaint } = await operator('suspend-app', '77');
    expect([code, output, complaint]).toEqual([1, '', 'There is no app with the client_id "77"\n']);
  });
});

describe('a user whom an operator stops', () => {
  // Shows scope-15
  it('given a user with sessions and tokens in use, when an operator ends them, then both are refused within a second', async () => {
    const { username, browser, token, id } = await signUp();
    for (let n = 0; n < 4; n += 1) expect(await statusOf(token)).toBe(200);
    expect((await browser.open(pageAt('/account/security'))).url.pathname).toBe('/account/security');
    await expectRefusedInTime(token, ['end-sessions', username, '--operator=jo']);
    expect(await answersTo(token, id)).toEqual(new Set(['401 revoked_token']));
    expect((await browser.open(pageAt('/account/security'))).url.pathname).toBe('/account/sign-in');
  }, 30_000);

  // Shows scope-14
  it('given a token in use, when its user is frozen for reading, then every route is account_frozen, and works afterwards', async () => {
    const { username, browser, token, id } = await signUp();
    for (let n = 0; n < 4; n += 1) expect(await statusOf(token)).toBe(200);
    expect(await asOperator(`${username} --frozen-for-reading`)).toMatch(
      /frozen {9}yes\n {2}frozen-for-reading yes\n$/,
    );
    await expectFrozen(token);
    expect(await answersTo(token, id)).toEqual(new Set(['403 account_frozen']));
    for (const path of ['/account', '/account/security', '/developers']) {
      const { status, html } = await browser.open(pageAt(path));
      expect([path, status, html.includes('Your account is frozen')]).toEqual([path, 403, true]);
    }
    expect(await asOperator(`${username} --no-frozen`)).toMatch(/frozen {9}no\n {2}frozen-for-reading no\n$/);
    for (let n = 0; n < 4; n += 1) expect(await statusOf(token)).toBe(200);
    expect((await browser.open(pageAt('/account/security'))).status).toBe(200);
  }, 30_000);
});

/** Every gateway of the shape, within the time that is promised. */
async function expectFrozen(token: string): Promise<void> {
  await eventually(
    async () => {
      for (let n = 0; n < 4; n += 1) {
        const { status, body } = await call('/me', { token });
        expect([status, body.error.code]).toEqual([403, 'account_frozen']);
      }
    },
    { timeoutMs: REFUSED_WITHIN_MS },
  );
}
