import { DEMO_APP, DEMO_USERS } from '@settle/contracts';
import { freshDatabase } from '@settle/testing';
import { DEMO_CREDENTIALS, DEMO_QUERY, OauthClient, stubOtherServices } from '../../test/oauth-client.fixture.js';
import { signInDemoUser, startAuth, type StartedAuth } from '../../test/started-auth.fixture.js';

const SIXTY_DAYS_MS = 60 * 86_400_000;
const RACERS = 50;

let auth: StartedAuth;
let app: OauthClient;
beforeAll(async () => {
  auth = await startAuth(await freshDatabase(), { INTROSPECTION_SECRET: 's'.repeat(32), REFRESH_LEEWAY: '0' });
  app = new OauthClient(auth);
});
beforeEach(() => auth.pool.query('delete from consents'));
afterAll(() => auth.stop());

const race = <Result>(work: () => Promise<Result>) => Promise.all(Array.from({ length: RACERS }, work));

/** Runs first: the other services are stubbed from then on. */
describe('unavailable services', () => {
  // Shows token-20
  it('given an unavailable service, when a code is redeemed, then the request fails with 503 and a retry succeeds', async () => {
    const code = await app.requestCode();
    const refused = await app.post({ ...DEMO_CREDENTIALS, code });
    expect([refused.status, refused.body.error?.code]).toEqual([503, 'service_unavailable']);
    expect(refused.headers.get('retry-after')).toMatch(/^[1-9]/);
    stubOtherServices(auth);
    expect((await app.post({ ...DEMO_CREDENTIALS, code })).status).toBe(200);
  });
});

describe('the server-side flow', () => {
  // Shows token-1
  it('given a code, when it is redeemed, then the token is valid for 60 days and the response contains the user', async () => {
    const back = await app.authorize(`${DEMO_QUERY}&state=s1`);
    expect([...back.keys()]).toEqual(['code', 'state', 'iss']);
    const { status, headers, body } = await app.post({ ...DEMO_CREDENTIALS, code: back.get('code')! });
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store, private']);
    expect(body).toEqual({
      access_token: expect.stringMatching(/^[\w-]{43}$/) as string,
      refresh_token: expect.stringMatching(/^[\w-]{43}$/) as string,
      token_type: 'bearer',
      scope: 'make_payments access_balance',
      expires_in: 5_184_000,
      balance: 100.05,
      user: expect.objectContaining({ id: DEMO_USERS.alice.id, email: null, phone: null }) as object,
    });
    const grant = await app.check(body.access_token);
    expect(grant).toMatchObject({ appId: DEMO_APP.clientId, userId: DEMO_USERS.alice.id });
    const { expiresAtMs } = grant as { expiresAtMs: number };
    expect(Math.abs(expiresAtMs - Date.now() - SIXTY_DAYS_MS)).toBeLessThan(60_000);
  });

  it('given no scope for the balance, when tokens are issued, then the balance is null', async () => {
    const query = `response_type=code&client_id=${DEMO_APP.clientId}&scope=access_profile,access_email`;
    expect(await app.requestTokens(query)).toMatchObject({
      balance: null,
      user: { email: 'alice@example.com', phone: null },
    });
  });

  // Shows token-52
  it('given issued codes and tokens, when the database is searched, then it contains none of them', async () => {
    const code = await app.requestCode();
    const { body } = await app.post({ ...DEMO_CREDENTIALS, code });
    for (const table of ['authorization_codes', 'refresh_tokens', 'tokens', 'authorizations']) {
      const { rows } = await auth.pool.query<{ row: string }>(`select row_to_json(t)::text as row from ${table} t`);
      expect(rows.length).toBeGreaterThan(0);
      for (const secret of [code, body.access_token, body.refresh_token]) {
        expect(rows.some(({ row }) => row.includes(secret))).toBe(false);
      }
    }
  });

  // Shows token-6
  it('given a code that is a minute old, when it is redeemed, then it is refused', async () => {
    const code = await app.requestCode();
    await auth.pool.query(`update authorization_codes set expires_at = expires_at - interval '60 seconds'`);
    expect(await app.post({ ...DEMO_CREDENTIALS, code })).toMatchObject({ body: { error: { code: 'invalid_grant' } } });
  });
});

describe('concurrent requests', () => {
  // Shows token-8
  it('given one code, when 50 concurrent requests redeem it, then one gets tokens and these are revoked', async () => {
    const code = await app.requestCode();
    const responses = await race(() => app.post({ ...DEMO_CREDENTIALS, code }));
    const won = responses.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    const others = responses.filter(({ body }) => body.error?.code === 'invalid_grant');
    expect(others).toHaveLength(RACERS - 1);
    expect(await app.check(won[0]!.body.access_token)).toBe('revoked_token');
    expect((await app.refresh(won[0]!.body.refresh_token)).body.error?.code).toBe('invalid_grant');
  });

  // Shows token-27
  it('given one refresh token, when 50 concurrent requests use it, then one gets tokens and all tokens of the authorization are revoked', async () => {
    const first = await app.requestTokens();
    const responses = await race(() => app.refresh(first.refresh_token));
    const won = responses.filter(({ status }) => status === 200);
    expect([won.length, new Set(responses.map(({ status }) => status)).size]).toEqual([1, 2]);
    expect(await app.check(first.access_token)).toBe('revoked_token');
    expect(await app.check(won[0]!.body.access_token)).toBe('revoked_token');
    expect((await app.refresh(won[0]!.body.refresh_token)).status).toBe(400);
  });

  it('given concurrent refreshes and revocations, when both have completed, then no token of the authorization works', async () => {
    let { refresh_token: newest, access_token: token } = await app.requestTokens();
    const revoke = () => app.send('/v1/oauth/revoke', { ...DEMO_CREDENTIALS, token: newest });
    for (let round = 0; round < 4; round += 1) {
      const [refreshed] = await Promise.all([app.refresh(newest), revoke()]);
      if (refreshed.status === 200) token = refreshed.body.access_token;
      expect(await app.check(token)).toBe('revoked_token');
      if (refreshed.status === 200) expect((await app.refresh(refreshed.body.refresh_token)).status).toBe(400);
      ({ refresh_token: newest, access_token: token } = await app.requestTokens());
    }
  });
});

const ALICE = { userId: DEMO_USERS.alice.id };

describe('refresh', () => {
  // Shows token-21
  it('given a refresh token, when it is used, then it is replaced by a new one that can be used next', async () => {
    const first = await app.requestTokens();
    const second = (await app.refresh(first.refresh_token)).body;
    const third = (await app.refresh(second.refresh_token)).body;
    expect(new Set([first, second, third].map((body) => body.refresh_token)).size).toBe(3);
    expect(await app.check(third.access_token)).toMatchObject({ scopes: ['make_payments', 'access_balance'] });
  });

  it('given a used refresh token, when it is used again, then all tokens of the authorization are revoked', async () => {
    const first = await app.requestTokens();
    const second = (await app.refresh(first.refresh_token)).body;
    expect((await app.refresh(first.refresh_token)).body.error?.code).toBe('invalid_grant');
    for (const token of [first.access_token, second.access_token]) expect(await app.check(token)).toBe('revoked_token');
    expect((await app.refresh(second.refresh_token)).status).toBe(400);
  });

  it('given a refresh token that was not used for 120 days, when it is used, then it is refused', async () => {
    const { refresh_token: token } = await app.requestTokens();
    await auth.pool.query(`update refresh_tokens set expires_at = expires_at - interval '120 days'`);
    expect((await app.refresh(token)).body.error?.code).toBe('invalid_grant');
  });

  // Shows token-24
  it('given a refresh, when a minute has passed, then the former access token is refused and the new one works', async () => {
    const first = await app.requestTokens();
    const second = (await app.refresh(first.refresh_token)).body;
    for (const token of [first.access_token, second.access_token]) expect(await app.check(token)).toMatchObject(ALICE);
    const { rows } = await auth.pool.query<{ seconds: number }>(
      'select extract(epoch from max(revoked_at) - now())::float8 as seconds from tokens where revoked_at > now()',
    );
    expect(rows[0]!.seconds).toBeGreaterThan(30);
    expect(rows[0]!.seconds).toBeLessThan(60);
    await auth.pool.query(`update tokens set revoked_at = revoked_at - interval '60 s' where revoked_at > now()`);
    expect(await app.check(first.access_token)).toBe('revoked_token');
    expect(await app.check(second.access_token)).toMatchObject(ALICE);
    expect((await app.refresh(second.refresh_token)).status).toBe(200);
  });

  it('given a recent refresh, when the app revokes the refresh token, then the former access token is revoked at once', async () => {
    const first = await app.requestTokens();
    const second = (await app.refresh(first.refresh_token)).body;
    await app.send('/v1/oauth/revoke', { ...DEMO_CREDENTIALS, token: second.refresh_token });
    for (const { access_token: token } of [first, second]) expect(await app.check(token)).toBe('revoked_token');
  });

  // Shows token-25
  it('given an authorization that is 364 days old, when it is refreshed, then its tokens expire at the end of the year and no refresh is possible afterwards', async () => {
    const first = await app.requestTokens();
    await auth.pool.query(`update authorizations set begun_at = begun_at - interval '364 days'`);
    const second = (await app.refresh(first.refresh_token)).body;
    expect(second.expires_in).toBeGreaterThan(86_000);
    expect(second.expires_in).toBeLessThanOrEqual(86_400);
    const { expiresAtMs } = (await app.check(second.access_token)) as { expiresAtMs: number };
    expect(expiresAtMs - Date.now()).toBeLessThanOrEqual(86_400_000);
    await auth.pool.query(`update authorizations set begun_at = begun_at - interval '1 day'`);
    expect((await app.refresh(second.refresh_token)).body.error?.code).toBe('invalid_grant');
  });

  it('given a refresh with fewer scopes, when the tokens are refreshed again without scope, then the access token has all granted scopes', async () => {
    const first = await app.requestTokens();
    const fewer = { ...DEMO_CREDENTIALS, refresh_token: first.refresh_token, scope: 'make_payments' };
    const second = (await app.post(fewer)).body;
    expect([second.scope, await app.check(second.access_token)]).toMatchObject([
      'make_payments',
      { scopes: ['make_payments'] },
    ]);
    const more = { ...DEMO_CREDENTIALS, refresh_token: second.refresh_token, scope: 'access_email' };
    expect((await app.post(more)).body.error?.code).toBe('invalid_scope');
    const third = (await app.refresh(second.refresh_token)).body;
    expect(third.scope).toBe('make_payments access_balance');
    expect(await app.check(third.access_token)).toMatchObject({ scopes: ['make_payments', 'access_balance'] });
  });
});

describe('deleted users', () => {
  it('given a deleted user, when the tokens are used, then they are refused', async () => {
    const { access_token: token, refresh_token: refresh } = await app.requestTokens();
    await auth.pool.query('begin; delete from credentials where user_id = ' + DEMO_USERS.alice.id + '; commit');
    expect(await app.check(token)).toBe('invalid_token');
    expect((await app.refresh(refresh)).body.error?.code).toBe('invalid_grant');
  });
});

describe('introspection', () => {
  const SECRET = { authorization: `Bearer ${'s'.repeat(32)}` };
  const introspect = (fields: Record<string, string>, headers = SECRET) => app.send('/introspect', fields, headers);

  // Shows token-32
  it.each([
    ['no secret', {}],
    ['a wrong secret', { authorization: 'Bearer guess' }],
    ['the credentials of an app', { authorization: `Basic ${Buffer.from('demo-app:demo-secret').toString('base64')}` }],
  ])('given %s, when a token is introspected, then the request is refused', async (_case, headers) => {
    expect((await introspect({ token: 'x' }, headers as typeof SECRET)).status).toBe(401);
  });

  it('given an unknown token, when it is introspected, then the response is only that it is not active', async () => {
    expect((await introspect({ token: 'x' })).body).toEqual({ active: false });
  });

  it('given a token of bob, when it is introspected, then the response contains its scopes, app, user and expiry', async () => {
    const { browser, consentPage } = await signInDemoUser(auth, DEMO_QUERY.replace('code', 'token'), 'bob');
    const back = await browser.submit(consentPage, '/v1/oauth/consent', { decision: 'allow' });
    const token = new URL(back.headers.get('location')!).searchParams.get('access_token')!;
    expect((await introspect({ token })).body).toEqual({
      active: true,
      scope: 'make_payments access_balance',
      client_id: DEMO_APP.clientId,
      sub: DEMO_USERS.bob.id,
      token_type: 'bearer',
      exp: expect.any(Number) as number,
      iss: auth.settings.publicUrl,
    });
  });

  it('given a token created at /developers, when it is introspected, then its environment is the sandbox', async () => {
    const { browser } = await signInDemoUser(auth, DEMO_QUERY, 'bob');
    await auth.pool.query('update apps set owner_id = $1 where client_id = $2', [DEMO_USERS.bob.id, DEMO_APP.clientId]);
    const page = await (await browser.get(`/developers/apps/${DEMO_APP.clientId}`)).text();
    const made = await browser.submit(page, `/developers/apps/${DEMO_APP.clientId}/token`, {});
    const [, token = ''] = /access_token=([\w-]{43})/.exec(await made.text()) ?? [];
    expect((await introspect({ token })).body).toMatchObject({ active: true, environment: 'sandbox' });
    expect(await app.check(token)).toMatchObject({ environment: 'sandbox' });
  });
});
