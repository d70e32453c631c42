import { createHash } from 'node:crypto';
import { baseUrl, encode } from './client.js';
import { openAppPage, registerApp, createSecret, openSignedInBrowser } from './developer.js';
import { expectDocumented } from './documented-responses.js';
import { loadDemoUser, unknownEmail } from './users.js';
import { withDatabase } from './running-stack.fixture.js';
import { authorize } from './server-side-flow.fixture.js';
import { callbackUrl } from './sign-in.js';

/** The format that Go's time.Parse reads with the layout of the samples. */
const SAMPLE_DATETIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}$/;
const ANY_DATETIME = /"(date_\w+)":"([^"]+)"/g;

interface Sent {
  readonly token?: string;
  readonly method?: string;
  readonly form?: Readonly<Record<string, string>>;
}

/** Like `call`, but for legacy responses, which match the documentation once `Z` is added again. */
async function legacyCall(path: string, { token, method, form }: Sent): Promise<{ status: number; text: string }> {
  const url = baseUrl() + path;
  const response = await fetch(url, {
    method: method ?? 'GET',
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    ...(form === undefined ? {} : { body: new URLSearchParams(encode(form)) }),
  });
  const { status, headers } = response;
  const text = await response.text();
  if (status === 200) {
    for (const [, , datetime] of text.matchAll(ANY_DATETIME)) expect(datetime).toMatch(SAMPLE_DATETIME);
    const documented = text.replaceAll(ANY_DATETIME, '"$1":"$2Z"');
    expectDocumented({ method: method ?? 'GET', url, status, headers, text: documented });
  }
  return { status, text };
}

const codeIn = ({ text }: { text: string }) => (JSON.parse(text) as { error: { code: string } }).error.code;

describe('an app with legacy responses', () => {
  let app: { client_id: string; client_secret: string };
  let token: string;
  let refreshToken: string;
  let bobId: string;

  beforeAll(async () => {
    const alice = await openSignedInBrowser('alice');
    const client_id = await registerApp(alice, { name: 'Former', redirect_url: callbackUrl(), legacy_answers: 'yes' });
    expect((await openAppPage(alice, client_id)).html).toMatch(/name="legacy_answers" value="yes" checked/);
    app = { client_id, client_secret: await createSecret(alice, client_id) };
    bobId = (await loadDemoUser('bob')).id;
    const scope = 'access_profile make_payments access_friends';
    const code = (await authorize('alice', { client_id, scope })).get('code') ?? '';
    const { status, text } = await legacyCall('/oauth/access_token', { method: 'POST', form: { ...app, code } });
    expect([status, text.match(ANY_DATETIME)?.length]).toEqual([200, 1]);
    const tokens = JSON.parse(text) as { access_token: string; refresh_token: string };
    [token, refreshToken] = [tokens.access_token, tokens.refresh_token];
  });

  // Shows token-49
  it('given each operation, when it succeeds, then its datetimes have no Z and the rest equals the standard response', async () => {
    const form = { user_id: bobId, note: 'strict', amount: '0.01' };
    const paid = await legacyCall('/payments', { token, method: 'POST', form });
    const { data } = JSON.parse(paid.text) as { data: { payment: { id: string } } };
    expect([paid.status, paid.text.match(ANY_DATETIME)?.length]).toEqual([200, 4]);
    const pending = { email: unknownEmail(), note: 'strict', amount: '-0.01' };
    const charged = await legacyCall('/payments', { token, method: 'POST', form: pending });
    const charge = JSON.parse(charged.text) as { data: { payment: { id: string } } };
    const path = `/payments/${charge.data.payment.id}`;
    const cancelled = await legacyCall(path, { token, method: 'PUT', form: { action: 'cancel' } });
    const reads = [
      '/me',
      `/users/${bobId}`,
      `/users/${bobId}/friends`,
      '/payments?limit=2',
      `/payments/${data.payment.id}`,
    ];
    const responses = await Promise.all(reads.map((read) => legacyCall(read, { token })));
    expect([cancelled, ...responses].map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
  });

  it.each([
    ['no amount', { note: 'n' }, '241'],
    ['a bad amount', { note: 'n', amount: '1e2' }, '104'],
    ['another audience', { note: 'n', amount: '1', audience: 'all' }, '3104'],
    // Shows token-50
    ['two fields at once', { note: 'n', amount: '1', email: 'a@b.co' }, '1343'],
  ])('given %s, when a payment is made, then the code is that of the legacy API', async (_what, fields, code) => {
    const response = await legacyCall('/payments', { token, method: 'POST', form: { user_id: bobId, ...fields } });
    expect([response.status, codeIn(response)]).toEqual([400, code]);
  });

  // Shows token-50
  it('given no such payment, a wrong secret, a used code or a revoked token, when the app sends a request, then the codes are those of the legacy API', async () => {
    expect(codeIn(await legacyCall('/payments/1852942301724180481', { token }))).toBe('283');
    const post = (form: Record<string, string>) => legacyCall('/oauth/access_token', { method: 'POST', form });
    expect(codeIn(await post({ ...app, client_secret: 'guess', code: 'x' }))).toBe('247');
    expect(codeIn(await post({ ...app, code: 'x' }))).toBe('257');
    expect(codeIn(await post({ ...app, grant_type: 'password' }))).toBe('276');
    const { text } = await post({ ...app, refresh_token: refreshToken });
    const other = (JSON.parse(text) as { access_token: string }).access_token;
    const sha256 = createHash('sha256').update(other).digest();
    const ends = 'update tokens set expires_at = now() where sha256 = $1';
    await withDatabase('auth', (client) => client.query(ends, [sha256]));
    expect(codeIn(await legacyCall('/me', { token: other }))).toBe('265');
    await legacyCall('/oauth/revoke', { method: 'POST', form: { ...app, token: refreshToken } });
    const dead = await legacyCall('/me', { token });
    expect([dead.status, codeIn(dead)]).toEqual([401, '262']);
  });
});
