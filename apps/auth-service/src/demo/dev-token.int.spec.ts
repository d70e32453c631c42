import { DEMO_APP, DEMO_PASSWORD, DEMO_USERS } from '@settle/contracts';
import { freshDatabase } from '@settle/testing';
import { OauthClient } from '../../test/oauth-client.fixture.js';
import { startAuth, type StartedAuth } from '../../test/started-auth.fixture.js';

const ALICE = { username: DEMO_USERS.alice.username, password: DEMO_PASSWORD, scope: 'make_payments access_profile' };

let auth: StartedAuth;
const post = (fields: Record<string, string>, of = auth, headers = {}) =>
  new OauthClient(of).send('/dev/token', fields, headers);

describe('tokens for developers', () => {
  beforeAll(async () => {
    auth = await startAuth(await freshDatabase());
  });
  afterAll(() => auth.stop());

  it('given the password of a demo user, when a token is requested, then it is one of the demo app with those scopes', async () => {
    const { status, body, headers } = await post(ALICE);
    expect([status, Object.keys(body)]).toEqual([200, ['access_token']]);
    expect(headers.get('cache-control')).toBe('no-store, private');
    expect(await new OauthClient(auth).check(body.access_token)).toMatchObject({
      appId: DEMO_APP.clientId,
      userId: DEMO_USERS.alice.id,
      scopes: ['make_payments', 'access_profile'],
    });
  });

  it('given a token, when it is stored, then it belongs to one authorization and lives 30 minutes', async () => {
    const life = 'select extract(epoch from ends_at - now()) / 60 as minutes from authorizations order by ends_at desc';
    const { rowCount: before } = await auth.pool.query(life);
    await post(ALICE);
    const { rows } = await auth.pool.query<{ minutes: string }>(life);
    expect(rows).toHaveLength((before ?? 0) + 1);
    expect(Math.round(Number(rows[0]?.minutes))).toBe(30);
  });

  it.each([
    ['a wrong password', { password: 'wrong' }, 400, 'invalid_grant'],
    ['an unknown user', { username: 'mallory' }, 400, 'invalid_grant'],
    ['no username', { username: '' }, 400, 'invalid_grant'],
    ['no password', { password: '' }, 400, 'invalid_grant'],
    ['an unknown scope', { scope: 'access_everything' }, 400, 'invalid_scope'],
    ['no scope', { scope: '' }, 400, 'invalid_scope'],
    ['an unknown app', { client_id: 'no-such-app' }, 400, 'invalid_request'],
  ])(
    'given %s, when a token is requested, then the response is an error of the catalogue',
    async (_case, change, status, code) => {
      const response = await post({ ...ALICE, ...change });
      expect([response.status, response.body.error?.code]).toEqual([status, code]);
    },
  );

  it('given a page of another site, when its browser requests a token, then no password is compared', async () => {
    const { status, body } = await post({ ...ALICE, password: 'wrong' }, auth, { 'sec-fetch-site': 'cross-site' });
    expect([status, body.error?.code]).toEqual([403, 'not_permitted']);
  });

  it('given an account that is frozen for reading, when a token is requested, then it is refused', async () => {
    const frozen = 'update credentials set reading_frozen_at = $2 where user_id = $1';
    await auth.pool.query(frozen, [DEMO_USERS.alice.id, new Date()]);
    const { status, body } = await post(ALICE);
    await auth.pool.query(frozen, [DEMO_USERS.alice.id, null]);
    expect([status, body.error?.code]).toEqual([403, 'account_frozen']);
  });

  it('given the password in the URL, when a token is requested, then it is refused, because URLs end up in logs', async () => {
    const response = await new OauthClient(auth).send(`/dev/token?${new URLSearchParams(ALICE).toString()}`, {});
    expect([response.status, response.body.error?.code]).toEqual([400, 'invalid_request']);
  });
});

describe('tokens for developers where they are not allowed', () => {
  it.each([
    ['production', { NODE_ENV: 'production', PUBLIC_URL: 'https://pay.example.com' }],
    ['the demo without developer tools', { DEMO: 'true', DEV_TOOLS: 'false' }],
  ])('given %s, when a token is requested, then 404', async (_case, env) => {
    const other = await startAuth(await freshDatabase(), env);
    const { status, body } = await post(ALICE, other);
    expect([status, body.error?.code]).toEqual([404, 'resource_not_found']);
    await other.stop();
  });
});
