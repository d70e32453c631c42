import { DEMO_APP } from '@settle/contracts';
import { baseUrl, call } from './client.js';
import {
  DEMO_CREDENTIALS,
  requestTokens,
  basic,
  obtainCode,
  newPkce,
  obtainTokens,
  expectRevoked,
  readRefusal,
  fetchStatus,
} from './server-side-flow.fixture.js';
import type { Browser } from './browser.js';
import { openSignedInBrowser } from './developer.js';
import { authorizeUrl, callbackUrl, newBrowser, signIn } from './sign-in.js';
import { signUp } from './sign-up.js';
import { KEYS, keysOf, sorted, type WireMe } from './wire.js';

const SCOPE = 'make_payments access_profile access_balance';

describe('the server-side flow', () => {
  // Shows token-1, token-2
  it('given a code, when it is redeemed, then tokens, user and balance are at the top level', async () => {
    const { status, headers, tokens } = await requestTokens({ ...DEMO_CREDENTIALS, code: await obtainCode() });
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store, private']);
    expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: 5_184_000 });
    expect(keysOf(tokens.user)).toEqual(sorted(KEYS.user));
    const { body } = await call<WireMe>('/me', { token: tokens.access_token });
    expect([tokens.balance, tokens.user.id]).toEqual([body.data.balance, body.data.user.id]);
  });

  // Shows token-3
  it('given make_payments alone, when tokens are issued, then balance, e-mail and phone are null', async () => {
    const tokens = await obtainTokens('alice', { scope: 'make_payments' });
    expect([tokens.balance, tokens.user.email, tokens.user.phone]).toEqual([null, null, null]);
    expect(keysOf(tokens.user)).toEqual(sorted(KEYS.user));
  });

  // Shows token-2, token-13, token-21
  it('given client credentials in the header and every parameter of RFC 6749, when a code is redeemed, then the result is the same', async () => {
    const redirect_uri = callbackUrl();
    const { verifier, parameters } = newPkce();
    const code = await obtainCode('alice', { redirect_uri, ...parameters });
    const form = { grant_type: 'authorization_code', code, redirect_uri, code_verifier: verifier };
    const response = await requestTokens(form, basic(DEMO_APP.clientId, DEMO_APP.clientSecret));
    expect(response.status).toBe(200);
    const next = { grant_type: 'refresh_token', refresh_token: response.tokens.refresh_token };
    const refreshed = await requestTokens(next, basic(DEMO_APP.clientId, DEMO_APP.clientSecret));
    expect([refreshed.status, await fetchStatus(refreshed.tokens.access_token)]).toEqual([200, 200]);
  });

  // Shows token-34
  it('given an earlier grant, when the same scopes are requested, then no page is shown; when any other is requested, the page is shown', async () => {
    const scope = 'access_profile access_friends';
    await obtainCode('carol', { scope });
    const again = await signIn(newBrowser(), 'carol', { scope, response_type: 'code' });
    expect(again.url.searchParams.get('code')).toMatch(/^[\w-]{43}$/);
    const others = [
      { scope, response_type: 'token' },
      { scope: 'access_profile', response_type: 'code' },
      { scope: `${scope} make_payments`, response_type: 'code' },
    ];
    for (const request of others) {
      const page = await signIn(newBrowser(), 'carol', request);
      expect(page.forms.flatMap(({ buttons }) => buttons.map(({ label }) => label))).toContain('Allow');
    }
  });

  // Shows token-33
  it('given boxes without a tick, when the user allows, then the rest is granted and the app gets the granted scopes', async () => {
    // A user of their own: what the demo users granted in other specs is not asked for again.
    const { browser } = await signUp();
    for (const response_type of ['token', 'code']) {
      const page = await browser.open(authorizeUrl({ scope: SCOPE, response_type }));
      expect(page.forms[0]?.ticked.map(([, value]) => value)).toEqual(SCOPE.split(' '));
      const back = (await browser.submit(page, { scopes: 'access_profile' }, 'Allow')).url.searchParams;
      const code = back.get('code');
      const tokens = code === null ? null : (await requestTokens({ ...DEMO_CREDENTIALS, code })).tokens;
      expect([back.get('scope') ?? tokens?.scope, back.get('state')]).toEqual(['access_profile', null]);
      const token = tokens?.access_token ?? back.get('access_token') ?? '';
      const { status, body } = await call('/payments', { method: 'POST', token, form: { note: 'n', amount: '1' } });
      expect([status, body.error.code]).toEqual([403, 'insufficient_scope']);
    }
  });

  it.each([
    ['nothing', { scopes: [] }],
    ['a scope that was not requested', { scopes: ['access_email'] }],
    ['a scope twice', { scopes: ['make_payments', 'make_payments'] }],
  ])('given %s ticked, when the user allows, then no code is issued', async (_what, { scopes }) => {
    const browser = newBrowser();
    const page = await signIn(browser, 'bob', { scope: 'make_payments access_phone', response_type: 'code' });
    const form = page.forms[0]!;
    const body = new URLSearchParams({ ...form.fields, decision: 'allow' });
    for (const scope of scopes) body.append('scopes', scope);
    const response = await browser.send(new URL(form.action, page.url), 'POST', body);
    expect([response.status, response.url.searchParams.has('code')]).toEqual([400, false]);
  });

  it('given the consent page, when the user denies, then access_denied, state and issuer come back and no code', async () => {
    const browser = newBrowser();
    const page = await signIn(browser, 'bob', { scope: 'access_phone', response_type: 'code', state: 's é' });
    const { url } = await browser.submit(page, {}, 'Deny');
    const told = ['error', 'state', 'iss', 'code'].map((name) => url.searchParams.get(name));
    expect(told).toEqual(['access_denied', 's é', new URL(baseUrl()).origin, null]);
  });
});

describe('authorization requests that must fail', () => {
  const { parameters } = newPkce();
  let alice: Browser;
  beforeAll(async () => {
    alice = await openSignedInBrowser('alice');
  });

  it.each([
    // Shows token-15
    ['the method plain', { ...parameters, code_challenge_method: 'plain' }, 'invalid_request'],
    // Shows token-15
    ['no method, which means plain', { code_challenge: parameters.code_challenge }, 'invalid_request'],
    ['a method without a challenge', { code_challenge_method: 'S256' }, 'invalid_request'],
    ['an invalid challenge', { ...parameters, code_challenge: 'short' }, 'invalid_request'],
    ['an unknown response type', { response_type: 'code token' }, 'unsupported_response_type'],
  ])('given %s, when authorization is requested, then the app gets the error', async (_what, request, error) => {
    const { url } = await alice.open(authorizeUrl({ scope: SCOPE, response_type: 'code', state: 's', ...request }));
    const told = ['error', 'state', 'iss'].map((name) => url.searchParams.get(name));
    expect(told).toEqual([error, 's', new URL(baseUrl()).origin]);
  });

  it.each(['response_type=code', 'code_challenge=x', 'code_challenge_method=S256', 'scope=make_payments', 'state=x'])(
    'given %s twice, when authorization is requested, then the app gets the error',
    async (pair) => {
      const { url } = await alice.open(`${authorizeUrl({ scope: SCOPE, response_type: 'code' })}&${pair}&${pair}`);
      expect(url.searchParams.get('error')).toBe('invalid_request');
    },
  );
});

describe('codes that must fail', () => {
  // Shows token-7
  it('given a used code, when it is redeemed again, then it is rejected and its tokens are revoked', async () => {
    const code = await obtainCode();
    const { tokens } = await requestTokens({ ...DEMO_CREDENTIALS, code });
    expect(await fetchStatus(tokens.access_token)).toBe(200);
    expect(readRefusal(await requestTokens({ ...DEMO_CREDENTIALS, code }))).toEqual([400, 'invalid_grant']);
    await expectRevoked(tokens.access_token);
    const refresh = await requestTokens({ ...DEMO_CREDENTIALS, refresh_token: tokens.refresh_token });
    expect(readRefusal(refresh)).toEqual([400, 'invalid_grant']);
  });

  const pkce = newPkce();
  const { verifier } = pkce;
  const named = { redirect_uri: undefined as string | undefined };
  it.each([
    // Shows token-9
    ['another redirect_uri than the registered one', {}, () => ({ redirect_uri: `${callbackUrl()}x` })],
    ['another redirect_uri', named, () => ({ redirect_uri: `${callbackUrl()}/` })],
    // Shows token-14
    ['no verifier for a challenge', pkce.parameters, () => ({})],
    // Shows token-14
    ['a verifier without a challenge', {}, () => ({ code_verifier: verifier })],
    // Shows token-13
    ['a wrong verifier', pkce.parameters, () => ({ code_verifier: newPkce().verifier })],
    // Shows token-13
    ['a verifier of 42 characters', pkce.parameters, () => ({ code_verifier: verifier.slice(1) })],
    // Shows token-13
    ['a verifier of 129 characters', pkce.parameters, () => ({ code_verifier: verifier.repeat(3) })],
    ['a verifier of bad letters', pkce.parameters, () => ({ code_verifier: `${verifier}+` })],
  ])(
    'given %s, when the code is redeemed, then it is rejected and the code is used up',
    async (_what, request, fields) => {
      const redirect = 'redirect_uri' in request ? { redirect_uri: callbackUrl() } : {};
      const code = await obtainCode('alice', { ...request, ...redirect });
      const response = await requestTokens({ ...DEMO_CREDENTIALS, code, ...fields() });
      expect(readRefusal(response)).toEqual([400, 'invalid_grant']);
      const right = 'code_challenge' in request ? { code_verifier: verifier } : {};
      const again = await requestTokens({ ...DEMO_CREDENTIALS, code, ...redirect, ...right });
      expect(readRefusal(again)).toEqual([400, 'invalid_grant']);
    },
  );
});

describe('token requests that must fail', () => {
  // Shows token-4
  it.each([
    // Shows token-16
    ['an unknown code', { code: 'x' }, 400, 'invalid_grant'],
    // Shows token-16
    ['an unknown refresh token', { refresh_token: 'x' }, 400, 'invalid_grant'],
    // Shows request-34, token-17
    ['a wrong secret', { client_secret: 'guess', code: 'x' }, 401, 'invalid_client'],
    // Shows token-17
    ['no secret', { client_secret: undefined, code: 'x' }, 401, 'invalid_client'],
    ['an empty secret', { client_secret: '', code: 'x' }, 401, 'invalid_client'],
    // Shows request-34, token-17
    ['an unknown app', { client_id: 'unknown', code: 'x' }, 401, 'invalid_client'],
    ['no app', { client_id: undefined, code: 'x' }, 401, 'invalid_client'],
    ['neither code nor refresh token', {}, 400, 'invalid_request'],
    ['both', { code: 'x', refresh_token: 'x' }, 400, 'invalid_request'],
    // Shows token-18
    ['the password grant', { grant_type: 'password', username: 'a', password: 'b' }, 400, 'unsupported_grant_type'],
    ['client credentials alone', { grant_type: 'client_credentials' }, 400, 'unsupported_grant_type'],
    ['a grant type without its field', { grant_type: 'refresh_token', code: 'x' }, 400, 'invalid_request'],
  ])('given %s, when it is sent, then the error code of RFC 6749 is returned', async (_what, fields, status, code) => {
    const response = await requestTokens({ ...DEMO_CREDENTIALS, ...fields });
    expect(readRefusal(response)).toEqual([status, code]);
    expect(response.headers.get('cache-control')).toContain('no-store');
    expect(response.headers.get('www-authenticate')).toBe(status === 401 ? 'Basic realm="settle"' : null);
  });

  // Shows token-19, demo-3
  it('given the secret in the query, in two places or twice, when it is sent, then it is rejected', async () => {
    const code = await obtainCode();
    const inQuery = await call('/oauth/access_token', { method: 'POST', query: DEMO_CREDENTIALS, form: { code } });
    const both = await requestTokens({ ...DEMO_CREDENTIALS, code }, basic(DEMO_APP.clientId, DEMO_APP.clientSecret));
    const text = `client_id=demo-app&client_secret=demo-secret&code=${code}&code=${code}`;
    const raw = { type: 'application/x-www-form-urlencoded', text };
    const twice = await call('/oauth/access_token', { method: 'POST', raw });
    expect([inQuery.body.error.code, both.tokens.error?.code, twice.body.error.code]).toEqual(
      Array.from({ length: 3 }, () => 'invalid_request'),
    );
    expect((await requestTokens({ ...DEMO_CREDENTIALS, code })).status).toBe(200);
  });

  it('given another method or media type, when it is sent, then it is rejected', async () => {
    const get = await call('/oauth/access_token', { query: { ...DEMO_CREDENTIALS, code: 'x' } });
    expect([get.status, get.body.error.code, get.headers.get('allow')]).toEqual([
      405,
      'method_not_allowed',
      'DELETE, OPTIONS, POST',
    ]);
    const json = await call('/oauth/access_token', { method: 'POST', json: { ...DEMO_CREDENTIALS, code: 'x' } });
    expect([json.status, json.body.error.code]).toEqual([415, 'unsupported_media_type']);
    const plain = { type: 'text/plain', text: 'code=x' };
    expect((await call('/oauth/access_token', { method: 'POST', raw: plain })).status).toBe(415);
    const broken = { type: 'application/x-www-form-urlencoded', text: 'code=%zz' };
    expect((await call('/oauth/access_token', { method: 'POST', raw: broken })).status).toBe(400);
  });
});
