import { createHash } from 'node:crypto';
import { DEMO_APP, SCOPES } from '@settle/contracts';
import { baseUrl, call } from './client.js';
import { inDatabase } from './running-stack.fixture.js';
import {
  DEMO_CREDENTIALS,
  askForTokens,
  authorize,
  expectDead,
  newCode,
  newTokens,
  refused,
  statusOf,
} from './server-side-flow.fixture.js';
import { tokenFor } from './sign-in.js';

const SCOPE = 'make_payments access_profile access_balance';

/** Makes the first use of a refresh token look as if it had been ten seconds earlier. */
async function letLeewayPass(refreshToken: string): Promise<void> {
  const older = "update refresh_tokens set used_at = used_at - interval '10 seconds' where sha256 = $1";
  const sha256 = createHash('sha256').update(refreshToken).digest();
  const { rowCount } = await inDatabase('auth', (client) => client.query(older, [sha256]));
  expect(rowCount).toBe(1);
}

describe('refresh and revocation', () => {
  // Shows token-21, token-23
  it('given an old refresh token, when it comes again, then the whole family is dead', async () => {
    const first = await newTokens();
    const { tokens: second } = await askForTokens({ ...DEMO_CREDENTIALS, refresh_token: first.refresh_token });
    expect([await statusOf(first.access_token), await statusOf(second.access_token)]).toEqual([200, 200]);
    await letLeewayPass(first.refresh_token);
    const stolen = await askForTokens({ ...DEMO_CREDENTIALS, refresh_token: first.refresh_token });
    expect(refused(stolen)).toEqual([400, 'invalid_grant']);
    await expectDead(first.access_token);
    await expectDead(second.access_token);
    const newest = await askForTokens({ ...DEMO_CREDENTIALS, refresh_token: second.refresh_token });
    expect(refused(newest)).toEqual([400, 'invalid_grant']);
  });

  // Shows token-8
  it('given one code, when 50 redeem it at once, then one of them has tokens, and these are dead', async () => {
    const form = { ...DEMO_CREDENTIALS, code: await newCode() };
    const answers = await Promise.all(Array.from({ length: 50 }, () => askForTokens(form)));
    const won = answers.filter(({ status }) => status === 200);
    const lost = answers.filter(({ status }) => status !== 200);
    expect([won.length, lost.length]).toEqual([1, 49]);
    for (const answer of lost) expect(refused(answer)).toEqual([400, 'invalid_grant']);
    for (const { tokens } of won) await expectDead(tokens.access_token);
  });

  // Shows token-22
  it('given one refresh token, when 20 use it at once, then each has a pair that works, until one comes too late', async () => {
    const first = await newTokens();
    const form = { ...DEMO_CREDENTIALS, refresh_token: first.refresh_token };
    const pairs = (await Promise.all(Array.from({ length: 20 }, () => askForTokens(form)))).map(({ tokens }) => tokens);
    expect(new Set(pairs.flatMap((pair) => [pair.access_token, pair.refresh_token])).size).toBe(40);
    const [one, other] = [pairs[0]!, pairs[19]!];
    expect([await statusOf(one.access_token), await statusOf(other.access_token)]).toEqual([200, 200]);
    const next = await askForTokens({ ...DEMO_CREDENTIALS, refresh_token: other.refresh_token });
    expect(next.status).toBe(200);
    await letLeewayPass(first.refresh_token);
    expect(refused(await askForTokens(form))).toEqual([400, 'invalid_grant']);
    for (const pair of [one, other, next.tokens]) await expectDead(pair.access_token);
  });

  // Shows authorize-34, token-28, scope-11
  it.each(['access_token', 'refresh_token'] as const)(
    'given the %s, when the app revokes it, then every route refuses within a second, at every gateway',
    async (kind) => {
      const tokens = await newTokens();
      for (let n = 0; n < 4; n += 1) expect(await statusOf(tokens.access_token)).toBe(200);
      const form = { ...DEMO_CREDENTIALS, token: tokens[kind], token_type_hint: kind };
      expect(await call('/oauth/revoke', { method: 'POST', form })).toMatchObject({ status: 200, text: '{}' });
      const sinceMs = performance.now();
      await expectDead(tokens.access_token);
      expect(performance.now() - sinceMs).toBeLessThan(1_000);
      for (const path of ['/payments', '/payments/1', `/users/${tokens.user.id}`, `/users/${tokens.user.id}/friends`]) {
        expect((await call(path, { token: tokens.access_token })).body.error.code).toBe('revoked_token');
      }
      const refresh = await askForTokens({ ...DEMO_CREDENTIALS, refresh_token: tokens.refresh_token });
      expect(refused(refresh)).toEqual([400, 'invalid_grant']);
    },
  );

  // Shows token-30, error-28
  it('given DELETE with the token, in whatever place, then 204, and it is dead', async () => {
    const places = [
      (token: string) => ({ token }),
      (token: string) => ({ query: { access_token: token } }),
      (token: string) => ({ form: { access_token: token } }),
    ];
    for (const place of places) {
      const token = (await authorize('bob', { scope: SCOPE, response_type: 'token' })).get('access_token') ?? '';
      const path = '/oauth/access_token';
      expect((await call(path, { method: 'DELETE', ...place(token) })).status).toBe(204);
      await expectDead(token);
      expect((await call(path, { method: 'DELETE', ...place(token) })).body.error.code).toBe('revoked_token');
    }
  });

  // Shows token-29
  it('given no right to it, when a token is to be revoked, then nothing happens to it', async () => {
    const token = await tokenFor('carol', SCOPES);
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
    expect(await statusOf(token)).toBe(200);
  });
});

describe('what others may know', () => {
  // Shows token-31
  it('given the metadata, when read, then every address in it is there', async () => {
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
  it('given introspection, when asked for through the gateway, then nothing is there', async () => {
    const { origin } = new URL(baseUrl());
    for (const path of ['/introspect', '/v1/oauth/introspect', '/v1/oauth/..%2f..%2fintrospect', '//introspect']) {
      const answer = await fetch(origin + path, { method: 'POST', body: new URLSearchParams({ token: 'x' }) });
      expect([path, answer.status]).not.toEqual([path, 200]);
      expect(await answer.text()).not.toMatch(/active|INTROSPECTION/);
    }
  });
});
