import { createHash } from 'node:crypto';
import { DEMO_APP, SCOPES } from '@settle/contracts';
import { baseUrl, call } from './client.js';
import { withDatabase } from './running-stack.fixture.js';
import {
  DEMO_CREDENTIALS,
  requestTokens,
  authorize,
  expectRevoked,
  obtainCode,
  obtainTokens,
  readRefusal,
  fetchStatus,
} from './server-side-flow.fixture.js';
import { loadToken } from './sign-in.js';

const SCOPE = 'make_payments access_profile access_balance';

/** Backdates the first use of a refresh token by ten seconds. */
async function letLeewayPass(refreshToken: string): Promise<void> {
  const older = "update refresh_tokens set used_at = used_at - interval '10 seconds' where sha256 = $1";
  const sha256 = createHash('sha256').update(refreshToken).digest();
  const { rowCount } = await withDatabase('auth', (client) => client.query(older, [sha256]));
  expect(rowCount).toBe(1);
}

describe('refresh and revocation', () => {
  // Shows token-21, token-23
  it('given a used refresh token, when it is used again, then the whole token family is revoked', async () => {
    const first = await obtainTokens();
    const { tokens: second } = await requestTokens({ ...DEMO_CREDENTIALS, refresh_token: first.refresh_token });
    expect([await fetchStatus(first.access_token), await fetchStatus(second.access_token)]).toEqual([200, 200]);
    await letLeewayPass(first.refresh_token);
    const stolen = await requestTokens({ ...DEMO_CREDENTIALS, refresh_token: first.refresh_token });
    expect(readRefusal(stolen)).toEqual([400, 'invalid_grant']);
    await expectRevoked(first.access_token);
    await expectRevoked(second.access_token);
    const newest = await requestTokens({ ...DEMO_CREDENTIALS, refresh_token: second.refresh_token });
    expect(readRefusal(newest)).toEqual([400, 'invalid_grant']);
  });

  // Shows token-8
  it('given one code, when 50 clients redeem it at once, then one of them gets tokens, and these are revoked', async () => {
    const form = { ...DEMO_CREDENTIALS, code: await obtainCode() };
    const responses = await Promise.all(Array.from({ length: 50 }, () => requestTokens(form)));
    const won = responses.filter(({ status }) => status === 200);
    const lost = responses.filter(({ status }) => status !== 200);
    expect([won.length, lost.length]).toEqual([1, 49]);
    for (const response of lost) expect(readRefusal(response)).toEqual([400, 'invalid_grant']);
    for (const { tokens } of won) await expectRevoked(tokens.access_token);
  });

  // Shows token-22
  it('given one refresh token, when 20 clients use it at once, then each gets a working pair, until one is too late', async () => {
    const first = await obtainTokens();
    const form = { ...DEMO_CREDENTIALS, refresh_token: first.refresh_token };
    const pairs = (await Promise.all(Array.from({ length: 20 }, () => requestTokens(form)))).map(
      ({ tokens }) => tokens,
    );
    expect(new Set(pairs.flatMap((pair) => [pair.access_token, pair.refresh_token])).size).toBe(40);
    const [one, other] = [pairs[0]!, pairs[19]!];
    expect([await fetchStatus(one.access_token), await fetchStatus(other.access_token)]).toEqual([200, 200]);
    const next = await requestTokens({ ...DEMO_CREDENTIALS, refresh_token: other.refresh_token });
    expect(next.status).toBe(200);
    await letLeewayPass(first.refresh_token);
    expect(readRefusal(await requestTokens(form))).toEqual([400, 'invalid_grant']);
    for (const pair of [one, other, next.tokens]) await expectRevoked(pair.access_token);
  });

  // Shows authorize-34, token-28, scope-11
  it.each(['access_token', 'refresh_token'] as const)(
    'given the %s, when the app revokes it, then every route at every gateway rejects it within a second',
    async (kind) => {
      const tokens = await obtainTokens();
      for (let n = 0; n < 4; n += 1) expect(await fetchStatus(tokens.access_token)).toBe(200);
      const form = { ...DEMO_CREDENTIALS, token: tokens[kind], token_type_hint: kind };
      expect(await call('/oauth/revoke', { method: 'POST', form })).toMatchObject({ status: 200, text: '{}' });
      const sinceMs = performance.now();
      expect(await expectRevoked(tokens.access_token)).toBeLessThan(sinceMs + 1_000);
      for (const path of ['/payments', '/payments/1', `/users/${tokens.user.id}`, `/users/${tokens.user.id}/friends`]) {
        expect((await call(path, { token: tokens.access_token })).body.error.code).toBe('revoked_token');
      }
      const refresh = await requestTokens({ ...DEMO_CREDENTIALS, refresh_token: tokens.refresh_token });
      expect(readRefusal(refresh)).toEqual([400, 'invalid_grant']);
    },
  );

  // Shows token-30, error-28
  it('given the token in any place, when DELETE is sent, then it is revoked and the status is 204', async () => {
    const places = [
      (token: string) => ({ token }),
      (token: string) => ({ query: { access_token: token } }),
      (token: string) => ({ form: { access_token: token } }),
      (token: string) => ({ json: { access_token: token } }),
      (token: string) => ({ token, query: { access_token: '' } }),
    ];
    for (const place of places) {
      const token = (await authorize('bob', { scope: SCOPE, response_type: 'token' })).get('access_token') ?? '';
      const path = '/oauth/access_token';
      expect((await call(path, { method: 'DELETE', ...place(token) })).status).toBe(204);
      await expectRevoked(token);
      expect((await call(path, { method: 'DELETE', ...place(token) })).body.error.code).toBe('revoked_token');
    }
  });

  // Shows token-29
  it('given another app’s token, when revocation is requested, then the token still works', async () => {
    const token = await loadToken('carol', SCOPES);
    const revoke = (form: Record<string, string>) => call('/oauth/revoke', { method: 'POST', form });
    expect((await revoke({ client_id: DEMO_APP.clientId, token })).status).toBe(401);
    expect((await revoke({ ...DEMO_CREDENTIALS, client_secret: 'guess', token })).status).toBe(401);
    expect((await revoke(DEMO_CREDENTIALS)).body.error.code).toBe('invalid_request');
    expect((await revoke({ ...DEMO_CREDENTIALS, token: 'unknown' })).status).toBe(200);
    expect((await call('/oauth/access_token', { method: 'DELETE' })).body.error.code).toBe('missing_token');
    const unknown = await call('/oauth/access_token', { method: 'DELETE', token: 'unknown' });
    expect([unknown.status, unknown.body.error.code]).toEqual([401, 'invalid_token']);
    const twice = await call('/oauth/access_token', { method: 'DELETE', token, query: { access_token: token } });
    expect(twice.body.error.code).toBe('invalid_request');
    expect(await fetchStatus(token)).toBe(200);
  });
});

describe('metadata and introspection', () => {
  // Shows token-31
  it('given the metadata, when its addresses are called, then each exists', async () => {
    const { origin } = new URL(baseUrl());
    const { status, body } = await call(`${origin}/.well-known/oauth-authorization-server`);
    const metadata = body as unknown as Record<string, string>;
    expect([status, metadata.issuer, metadata.token_endpoint]).toEqual([
      200,
      origin,
      `${baseUrl()}/oauth/access_token`,
    ]);
    expect(metadata).toMatchObject({
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      scopes_supported: SCOPES,
    });
    for (const name of ['authorization_endpoint', 'token_endpoint', 'revocation_endpoint', 'service_documentation']) {
      expect([name, (await fetch(metadata[name] ?? '')).status]).not.toEqual([name, 404]);
    }
  });

  // Shows token-32
  it('given introspection, when it is called through the gateway, then it is not found', async () => {
    const { origin } = new URL(baseUrl());
    for (const path of ['/introspect', '/v1/oauth/introspect', '/v1/oauth/..%2f..%2fintrospect', '//introspect']) {
      const response = await fetch(origin + path, { method: 'POST', body: new URLSearchParams({ token: 'x' }) });
      expect([path, response.status]).not.toEqual([path, 200]);
      expect(await response.text()).not.toMatch(/active|INTROSPECTION/);
    }
  });
});
