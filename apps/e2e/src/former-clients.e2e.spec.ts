import { DEMO_PASSWORD } from '@settle/contracts';
import { call, sandboxUrl } from './client.js';
import { registerApp, createSecret, openSignedInBrowser } from './developer.js';
import { loadDemoUser } from './users.js';
import {
  DEMO_CREDENTIALS,
  requestTokens,
  authorize,
  obtainCode,
  obtainTokens,
  fetchStatus,
  type WireTokens,
} from './server-side-flow.fixture.js';
import { authorizeUrl, callbackUrl, newBrowser } from './sign-in.js';

const SCOPE = 'make_payments access_profile';

describe('the requests of existing clients of the API', () => {
  // Shows token-12
  it('given the base address of the sandbox, when an app authorizes, refreshes and revokes there, then it works as in production', async () => {
    const browser = newBrowser();
    const url = authorizeUrl({ scope: `${SCOPE} access_balance`, response_type: 'code', state: 's' });
    const sandboxed = url.replace('/v1/', '/sandbox/v1/');
    const page = await browser.submit(await browser.open(sandboxed), { username: 'carol', password: DEMO_PASSWORD });
    const back = (page.forms.length === 0 ? page : await browser.submit(page, {}, 'Allow')).url.searchParams;
    const send = async (path: string, form: Record<string, string>) => {
      const response = await call(sandboxUrl() + path, { method: 'POST', form: { ...DEMO_CREDENTIALS, ...form } });
      return { status: response.status, tokens: response.body as unknown as WireTokens };
    };
    const { tokens } = await send('/oauth/access_token', { code: back.get('code') ?? '' });
    expect([back.get('state'), await fetchStatus(tokens.access_token)]).toEqual(['s', 200]);
    const me = await call<{ balance: number }>(`${sandboxUrl()}/me`, { token: tokens.access_token });
    expect(tokens.balance).toBe(me.body.data.balance);
    const next = await send('/oauth/access_token', { refresh_token: tokens.refresh_token });
    expect((await send('/oauth/revoke', { token: next.tokens.refresh_token })).status).toBe(200);
    const path = `${sandboxUrl()}/oauth/access_token`;
    const gone = await call(path, { method: 'DELETE', token: next.tokens.access_token });
    expect([gone.status, gone.body.error.code]).toEqual([401, 'revoked_token']);
    const wrong = await call(path, { method: 'POST', form: { ...DEMO_CREDENTIALS, code: 'x' } });
    expect([wrong.status, wrong.body.error.code]).toEqual([400, 'invalid_grant']);
  });

  // Shows scope-9
  it('given the scope access_feed, when it is requested, then it is granted and gives access to nothing', async () => {
    const tokens = await obtainTokens('carol', { scope: 'access_feed' });
    for (const path of ['/me', '/payments', `/users/${tokens.user.id}/friends`]) {
      expect([path, await statusAt(path, tokens.access_token)]).toEqual([path, 403]);
    }
    const also = await obtainTokens('carol', { scope: 'access_feed,access_profile' });
    expect([also.scope, await fetchStatus(also.access_token)]).toEqual(['access_profile access_feed', 200]);
  });

  const named = () => ({ redirect_uri: callbackUrl() });
  it.each<[string, object, () => object]>([
    // Shows token-10
    ['no redirect_uri although the request named one', named(), () => ({})],
    // Shows token-10
    ['the only registered redirect_uri although the request named none', {}, named],
    [
      // Shows token-10
      'the address with its query',
      named(),
      () => ({ redirect_uri: `${callbackUrl()}?code=c&state=s%20t` }),
    ],
    [
      'that address although the request named none',
      {},
      () => ({ redirect_uri: `${callbackUrl()}?state=s&code=c&iss=i` }),
    ],
  ])('given %s, when a code is redeemed, then tokens are issued', async (_what, request, fields) => {
    const code = await obtainCode('carol', { ...request, scope: SCOPE, state: 's t' });
    expect((await requestTokens({ ...DEMO_CREDENTIALS, ...fields(), code })).status).toBe(200);
  });

  it('given the address of another app, when a code is redeemed, then no tokens are issued', async () => {
    const alice = await openSignedInBrowser('alice');
    const client_id = await registerApp(alice, { name: 'Elsewhere', redirect_url: `${callbackUrl()}/below` });
    const client_secret = await createSecret(alice, client_id);
    const code = await obtainCode('carol', { scope: SCOPE });
    const response = await requestTokens({ client_id, client_secret, code, redirect_uri: callbackUrl() });
    expect([response.status, response.tokens.error?.code]).toEqual([400, 'invalid_grant']);
  });

  // Shows request-15
  it('given multipart forms, when a code is redeemed and a payment is made with them, then they are read', async () => {
    const form = new FormData();
    const fields = { ...DEMO_CREDENTIALS, code: await obtainCode('carol', { scope: SCOPE }) };
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    const raw = await encoded(form);
    const { status, body } = await call('/oauth/access_token', { method: 'POST', raw });
    expect(status).toBe(200);
    const { access_token } = body as unknown as WireTokens;
    const bob = await loadDemoUser('bob');
    const payment = new FormData();
    const request = { access_token, user_id: bob.id, note: 'in parts ☕', amount: '-0.01', audience: 'Private' };
    for (const [name, value] of Object.entries(request)) payment.append(name, value);
    const paid = await call<{ payment: object }>('/payments', { method: 'POST', raw: await encoded(payment) });
    expect(paid.body.data.payment).toMatchObject({ note: request.note, amount: -0.01, audience: 'private' });
    payment.append('photo', new Blob(['x']), 'x.png');
    const refused = await call('/payments', { method: 'POST', raw: await encoded(payment) });
    expect([refused.status, refused.body.error.code]).toEqual([415, 'unsupported_media_type']);
  });

  // Shows token-11
  it('given requested scopes of which some or all are granted, when tokens are issued, then scope names the granted ones', async () => {
    const browser = newBrowser();
    const url = authorizeUrl({ scope: 'access_email access_phone', response_type: 'code' });
    const page = await browser.submit(await browser.open(url), { username: 'carol', password: DEMO_PASSWORD });
    const back = (await browser.submit(page, { scopes: 'access_phone' }, 'Allow')).url.searchParams;
    const fewer = await requestTokens({ ...DEMO_CREDENTIALS, code: back.get('code') ?? '' });
    expect(fewer.tokens.scope).toBe('access_phone');
    const all = (await authorize('carol', { scope: 'access_phone,access_email' })).get('code') ?? '';
    const whole = await requestTokens({ ...DEMO_CREDENTIALS, code: all });
    expect(whole.tokens.scope).toBe('access_email access_phone');
    const { tokens } = await requestTokens({ ...DEMO_CREDENTIALS, refresh_token: whole.tokens.refresh_token });
    expect(tokens.scope).toBe('access_email access_phone');
  });
});

const statusAt = async (path: string, token: string) => (await call(path, { token })).status;

/** Encodes a form as browsers and scripts do. */
async function encoded(form: FormData): Promise<{ type: string; text: string }> {
  const request = new Response(form);
  return { type: request.headers.get('content-type') ?? '', text: await request.text() };
}
