import { createHash, randomUUID } from 'node:crypto';
import { call } from './client.js';
import { submitSignUp, awaitCode } from './sign-up.js';
import { type TestUser, loadDemoUser, unknownEmail } from './users.js';
import { withDatabase } from './running-stack.fixture.js';
import {
  requestTokens,
  authorize,
  DEMO_CREDENTIALS,
  expectRevoked,
  obtainCode,
  obtainTokens,
  fetchStatus,
} from './server-side-flow.fixture.js';
import { newBrowser } from './sign-in.js';
import type { WireCreated } from './wire.js';

const SCOPE = 'make_payments access_profile';
const MINUTE_S = 60;
const DAY_S = 86_400;

const sha256 = (text: string) => createHash('sha256').update(text).digest();
const endsEarlier = (table: string, column: string) =>
  `update ${table} set expires_at = expires_at - make_interval(secs => $2) where ${column} = $1`;

/** Statements that backdate each row by so many seconds. */
const OLDER = {
  token: ['auth', endsEarlier('tokens', 'sha256')],
  replaced: ['auth', 'update tokens set revoked_at = revoked_at - make_interval(secs => $2) where sha256 = $1'],
  code: ['auth', endsEarlier('authorization_codes', 'sha256')],
  proof: ['auth', endsEarlier('codes', 'address_sha256')],
  key: ['payments', 'update idempotency_keys set created_at_us = created_at_us - $2::bigint * 1000000 where key = $1'],
} as const;

async function makeOlder(what: keyof typeof OLDER, id: Buffer | string, seconds: number): Promise<void> {
  const [service, text] = OLDER[what];
  const { rowCount } = await withDatabase(service, (client) => client.query(text, [id, seconds]));
  expect([what, rowCount]).toEqual([what, 1]);
}

describe('lifetimes', () => {
  let bob: TestUser;
  beforeAll(async () => {
    bob = await loadDemoUser('bob');
  });

  const ofClientSide = async () =>
    (await authorize('alice', { scope: SCOPE, response_type: 'token' })).get('access_token') ?? '';
  const ofServerSide = async () => (await obtainTokens('alice')).access_token;

  // Shows error-27
  it.each([
    // Shows authorize-18, limit-6
    ['client-side', 30 * MINUTE_S, ofClientSide],
    // Shows token-5, limit-7
    ['server-side', 60 * DAY_S, ofServerSide],
  ] as const)(
    'given a token of the %s flow, when its %i s have passed, then it has expired, and a minute earlier it has not',
    async (_flow, lifeS, draw) => {
      const [young, old] = [await draw(), await draw()];
      await makeOlder('token', sha256(young), lifeS - MINUTE_S);
      await makeOlder('token', sha256(old), lifeS);
      expect((await call('/me', { token: young })).status).toBe(200);
      const { status, headers, body } = await call('/me', { token: old });
      expect([status, body.error.code]).toEqual([401, 'expired_token']);
      expect(headers.get('www-authenticate')).toMatch(/^Bearer/);
    },
  );

  // Shows token-24
  it('given a refresh, when 60 s have passed, then every gateway rejects the previous access token, and not before that', async () => {
    const { access_token: former, refresh_token } = await obtainTokens('alice');
    expect(await fetchStatus(former)).toBe(200);
    const { tokens } = await requestTokens({ ...DEMO_CREDENTIALS, refresh_token });
    expect([await fetchStatus(former), await fetchStatus(tokens.access_token)]).toEqual([200, 200]);
    await makeOlder('replaced', sha256(former), 60);
    await expectRevoked(former);
    expect(await fetchStatus(tokens.access_token)).toBe(200);
  });

  // Shows token-6
  it('given a code for an app, when 60 s have passed, then it is rejected, and 15 s earlier it is not', async () => {
    for (const [seconds, status, error] of [
      [45, 200, undefined],
      [60, 400, 'invalid_grant'],
    ] as const) {
      const code = await obtainCode('alice');
      await makeOlder('code', sha256(code), seconds);
      const response = await requestTokens({ ...DEMO_CREDENTIALS, code });
      expect([response.status, response.tokens.error?.code]).toEqual([status, error]);
    }
  });

  // Shows friend-8
  it('given a verification code, when ten minutes have passed, then it is rejected, and a minute earlier it is not', async () => {
    for (const [minutes, status, leadsTo] of [
      [9, 200, '/account'],
      [10, 400, '/account/sign-up/code'],
    ] as const) {
      const [browser, email] = [newBrowser(), unknownEmail()];
      const page = await submitSignUp(browser, { email });
      const code = await awaitCode(email);
      await makeOlder('proof', sha256(`codes for ${email}`), minutes * MINUTE_S);
      const response = await browser.submit(page, { code }, 'Continue');
      expect([response.status, response.url.pathname]).toEqual([status, leadsTo]);
    }
  });

  // Shows key-16
  it('given a completed request, when a day has passed, then its key is free, and a minute earlier it is not', async () => {
    const key = randomUUID();
    const form = { email: unknownEmail(), note: 'once', amount: '-0.01' };
    const post = async () => {
      const request = { method: 'POST', token: bob.token, headers: { 'idempotency-key': key }, form };
      const { headers, body } = await call<WireCreated>('/payments', request);
      return { id: body.data.payment.id, isReplayed: headers.has('idempotent-replayed') };
    };
    const { id } = await post();
    await makeOlder('key', key, DAY_S - MINUTE_S);
    expect(await post()).toEqual({ id, isReplayed: true });
    await makeOlder('key', key, MINUTE_S);
    expect(await post()).toEqual({ id: expect.not.stringContaining(id) as string, isReplayed: false });
  });
});
