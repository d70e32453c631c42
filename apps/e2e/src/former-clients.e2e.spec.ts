import { DEMO_PASSWORD } from '@settle/contracts';
import { call, sandboxUrl } from './client.js';
import { newApp, newSecret, signedInBrowser } from './developer.js';
import { personNamed } from './people.js';
import {
  DEMO_CREDENTIALS,
  askForTokens,
  authorize,
  newCode,
  newTokens,
  statusOf,
  type WireTokens,
} from './server-side-flow.fixture.js';
import { authorizeUrl, callbackUrl, newBrowser } from './sign-in.js';

const SCOPE = 'make_payments access_profile';

describe('what former clients of the interface send', () => {
  // Shows token-12
  it('given the base address of the sandbox, when an app goes through flow, refresh and revocation there, then it is the same', async () => {
    const browser = newBrowser();
    const url = authorizeUrl({ scope: `${SCOPE} access_balance`, response_type: 'code', state: 's' });
    const sandboxed = url.replace('/v1/', '/sandbox/v1/');
    const page = await browser.submit(await browser.open(sandboxed), { username: 'carol', password: DEMO_PASSWORD });
    const back = (page.forms.length === 0 ? page : await browser.submit(page, {}, 'Allow')).url.searchParams;
    const send = async (path: string, form: Record<string, string>) => {
      const answer = await call(sandboxUrl() + path, { method: 'POST', form: { ...DEMO_CREDENTIALS, ...form } });
      return { status: answer.status, tokens: answer.body as unknown as WireTokens };
    };
    const { tokens } = await send('/oauth/access_token', { code: back.get('code') ?? '' });
    expect([back.get('state'), await statusOf(tokens.access_token)]).toEqual(['s', 200]);
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
  it('given the scope access_feed, when it is asked for, then it is allowed, and opens nothing', async () => {
    const tokens = await newTokens('carol', { scope: 'access_feed' });
    for (const path of ['/me', '/payments', `/users/${tokens.user.id}/friends`]) {
      expect([path, await statusAt(path, tokens.access_token)]).toEqual([path, 403]);
    }
    const also = await newTokens('carol', { scope: 'access_feed,access_profile' });
    expect([also.scope, await statusOf(also.access_token)]).toEqual([undefined, 200]);
  });

  const named = () => ({ redirect_uri: callbackUrl() });
  it.each<[string, object, () => object]>([
    // Shows token-10
    ['no redirect_uri though the request named one', named(), () => ({})],
    // Shows token-10
    ['the only registered redirect_uri though the request named none', {}, named],
    [
      // Shows token-10
      'the address with what was appended to it',
      named(),
      () => ({ redirect_uri: `${callbackUrl()}?code=c&state=s%20t` }),
    ],
    ['that, though the request named none', {}, () => ({ redirect_uri: `${callbackUrl()}?state=s&code=c&iss=i` })],
  ])('given %s, when a code is redeemed, then tokens come', async (_what, asked, fields) => {
    const code = await newCode('carol', { ...asked, scope: SCOPE, state: 's t' });
    expect((await askForTokens({ ...DEMO_CREDENTIALS, ...fields(), code })).status).toBe(200);
  });

  it('given the address of another app, when a code is redeemed, then there are no tokens', async () => {
    const alice = await signedInBrowser('alice');
    const client_id = await newApp(alice, { name: 'Elsewhere', redirect_url: `${callbackUrl()}/below` });
    const client_secret = await newSecret(alice, client_id);
    const code = await newCode('carol', { scope: SCOPE });
    const answer = await askForTokens({ client_id, client_secret, code, redirect_uri: callbackUrl() });
    expect([answer.status, answer.tokens.error?.code]).toEqual([400, 'invalid_grant']);
  });

  // Shows request-15
  it('given forms in parts, when a code is redeemed and a payment is made with them, then they are read', async () => {
    const form = new FormData();
    const fields = { ...DEMO_CREDENTIALS, code: await newCode('carol', { scope: SCOPE }) };
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    const raw = await encoded(form);
    const { status, body } = await call('/oauth/access_token', { method: 'POST', raw });
    expect(status).toBe(200);
    const { access_token } = body as unknown as WireTokens;
    const bob = await personNamed('bob');
    const payment = new FormData();
    const asked = { access_token, user_id: bob.id, note: 'in parts ☕', amount: '-0.01', audience: 'Private' };
    for (const [name, value] of Object.entries(asked)) payment.append(name, value);
    const paid = await call<{ payment: object }>('/payments', { method: 'POST', raw: await encoded(payment) });
    expect(paid.body.data.payment).toMatchObject({ note: asked.note, amount: -0.01, audience: 'private' });
    payment.append('photo', new Blob(['x']), 'x.png');
    const refused = await call('/payments', { method: 'POST', raw: await encoded(payment) });
    expect([refused.status, refused.body.error.code]).toEqual([415, 'unsupported_media_type']);
  });

  // Shows token-11
  it('given fewer scopes allowed than asked for, when tokens come, then scope says which; else it is left out', async () => {
    const browser = newBrowser();
    const url = authorizeUrl({ scope: 'access_email access_phone', response_type: 'code' });
    const page = await browser.submit(await browser.open(url), { username: 'carol', password: DEMO_PASSWORD });
    const back = (await browser.submit(page, { scopes: 'access_phone' }, 'Allow')).url.searchParams;
    const fewer = await askForTokens({ ...DEMO_CREDENTIALS, code: back.get('code') ?? '' });
    expect(fewer.tokens.scope).toBe('access_phone');
    const all = (await authorize('carol', { scope: 'access_phone,access_email' })).get('code') ?? '';
    expect('scope' in (await askForTokens({ ...DEMO_CREDENTIALS, code: all })).tokens).toBe(false);
  });
});

const statusAt = async (path: string, token: string) => (await call(path, { token })).status;

/** As browsers and scripts encode it. */
async function encoded(form: FormData): Promise<{ type: string; text: string }> {
  const request = new Response(form);
  return { type: request.headers.get('content-type') ?? '', text: await request.text() };
}
