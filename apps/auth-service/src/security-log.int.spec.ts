import { DEMO_APP, DEMO_PASSWORD, DEMO_USERS } from '@settle/contracts';
import { SECURITY_EVENTS } from '@settle/observability';
import { DEMO_CREDENTIALS, DEMO_QUERY, OauthClient } from './oauth-client.fixture.js';
import { sha256 } from './secrets.js';
import { REQUEST_ID, RecordedAuth, type RecordedEvent } from './recorded-auth.fixture.js';

const { alice, bob, carol } = DEMO_USERS;
const NEW_PASSWORD = 'wet grass at noon';
const APP = { name: 'A', description: 'B', site_url: 'https://a.example/', more_redirect_urls: '' };

let watched: RecordedAuth;
beforeAll(async () => (watched = await RecordedAuth.start()));
afterAll(() => watched.auth.stop());

const names = (lines: readonly RecordedEvent[]) => lines.map(([name]) => name);

describe('signing in and out', () => {
  it('given right and wrong passwords, when tried, then each try and each end is told', async () => {
    const browser = watched.newBrowser();
    const { id: userId } = alice;
    expect(await watched.recordEvents(() => watched.signIn(browser, 'alice', 'a guess'))).toEqual([
      ['sign_in_failed', { userId }],
    ]);
    expect(await watched.recordEvents(() => watched.signIn(browser, alice.phone, 'a guess'))).toEqual([
      ['sign_in_failed', { userId }],
    ]);
    expect(await watched.recordEvents(() => watched.signIn(browser, 'nobody@example.com', 'a guess'))).toEqual([
      ['sign_in_failed', {}],
    ]);
    expect(await watched.recordEvents(() => watched.signIn(browser, 'alice'))).toEqual([
      ['sign_in_succeeded', { userId }],
    ]);
    expect(await watched.recordEvents(() => watched.post(browser, '/account/sign-out'))).toEqual([
      ['session_ended', { userId }],
    ]);
    expect(watched.securityLines().every(({ requestId }) => requestId === REQUEST_ID)).toBe(true);
    const again = await watched.signedIn('alice');
    expect(await watched.recordEvents(() => watched.post(again, '/account/sign-out-everywhere'))).toEqual([
      ['sessions_ended', { userId }],
    ]);
  });

  it('given many guesses, when the next must wait, then that is told', async () => {
    const guesser = watched.newBrowser('198.51.100.7');
    for (let n = 0; n < 10; n += 1) await watched.signIn(guesser, 'carol', 'a guess');
    const next = await watched.recordEvents(() => watched.signIn(guesser, 'carol', 'a guess'));
    expect(next).toEqual([['sign_in_throttled', { userId: carol.id }]]);
  });

  it('given a form of another site, when sent, then that is told', async () => {
    const evil = { origin: 'https://evil.test' };
    expect(
      await watched.recordEvents(() => watched.newBrowser().post('/account/sign-in', { username: 'alice' }, evil)),
    ).toEqual([['form_refused', {}]]);
  });
});

describe('passwords, codes and addresses', () => {
  it('given a new password, when it is set, then the change and the new session are told', async () => {
    const { id: userId } = bob;
    const browser = await watched.signedIn('bob');
    const fields = { current_password: DEMO_PASSWORD, password: NEW_PASSWORD };
    const lines = await watched.recordEvents(() => watched.post(browser, '/account/password', fields));
    expect(lines).toEqual([
      ['password_changed', { userId }],
      ['sign_in_succeeded', { userId }],
    ]);
  });

  it('given a reset, when its code is wrong, then right, and when too many are asked for, then each is told', async () => {
    const { id: userId, email } = carol;
    const browser = watched.newBrowser('198.51.100.8');
    await watched.post(browser, '/account/reset', { email });
    const code = await watched.findCode(email);
    await watched.auth.pool.query('insert into wrong_codes values ($1, 29, now())', [sha256(`codes for ${email}`)]);
    const complete = (typed: string) =>
      watched.post(browser, '/account/reset/code', { code: typed, password: 'quiet rain at dusk' });
    expect(await watched.recordEvents(() => complete('wrong!'))).toEqual([
      ['code_refused', { kind: 'reset', userId }],
      ['codes_lengthened', { kind: 'reset' }],
    ]);
    expect(await watched.recordEvents(() => complete(code))).toEqual([['code_refused', { kind: 'reset', userId }]]);
    await watched.post(browser, '/account/reset', { email });
    const longer = await watched.findCode(email, 10);
    expect(await watched.recordEvents(() => complete(longer))).toEqual([['password_reset', { userId }]]);
    await watched.post(browser, '/account/reset', { email });
    const fourth = await watched.recordEvents(() => watched.post(browser, '/account/reset', { email }));
    expect(fourth).toEqual([['codes_throttled', { kind: 'email' }]]);
  });

  it('given somebody new, when they sign up, take an address from somebody and remove one, then each is told', async () => {
    const browser = watched.newBrowser('198.51.100.9');
    const person = { first_name: 'Dora', last_name: 'Dane', phone: '', password: NEW_PASSWORD, return_to: '' };
    await watched.post(browser, '/account/sign-up', { ...person, username: 'dora', email: 'dora@example.com' });
    const code = await watched.findCode('dora@example.com');
    const signUp = await watched.recordEvents(() => watched.post(browser, '/account/sign-up/code', { code }));
    const userId = signUp[0]?.[1].userId;
    expect(userId).toMatch(/^\d{18,19}$/);
    expect(signUp).toEqual([
      ['account_created', { userId }],
      ['sign_in_succeeded', { userId }],
    ]);
    const claim = { address: bob.phone, current_password: NEW_PASSWORD };
    await watched.post(browser, '/account/addresses/phone', claim);
    const phoneCode = await watched.findCode(bob.phone);
    expect(
      await watched.recordEvents(() => watched.post(browser, '/account/addresses/phone/code', { code: phoneCode })),
    ).toEqual([
      ['address_added', { userId, kind: 'phone' }],
      ['address_lost', { userId: bob.id, kind: 'phone' }],
    ]);
    expect(await watched.recordEvents(() => watched.post(browser, '/account/addresses/phone/remove', claim))).toEqual([
      ['address_removed', { userId, kind: 'phone' }],
    ]);
  });
});

describe('apps and what they are allowed', () => {
  it('given a developer, when apps are registered, changed and deleted, then each is told', async () => {
    const { id: userId } = alice;
    const browser = await watched.signedIn('alice');
    const fields = { ...APP, redirect_url: 'https://a.example/cb' };
    const [registered] = await watched.recordEvents(() => watched.post(browser, '/developers/apps', fields));
    const appId = registered?.[1].appId as string;
    expect([registered, appId]).toEqual([
      ['app_registered', { userId, appId }],
      expect.stringMatching(/^[1-9]\d{0,9}$/),
    ]);
    const page = `/developers/apps/${appId}`;
    expect(await watched.recordEvents(() => watched.post(browser, page, fields))).toEqual([
      ['app_changed', { userId, appId }],
    ]);
    const secrets = async (path: string) => {
      const html = await (await watched.post(browser, path)).text();
      for (const [secret] of html.matchAll(/\b[\w-]{43}\b/g)) watched.canaries.add(secret);
    };
    for (let made = 0; made < 2; made += 1) {
      expect(await watched.recordEvents(() => secrets(`${page}/secret`))).toEqual([
        ['app_secret_rotated', { userId, appId }],
      ]);
    }
    expect(await watched.recordEvents(() => watched.post(browser, `${page}/secret/end-former`))).toEqual([
      ['app_secret_ended', { userId, appId }],
    ]);
    const authorizationId = expect.any(String) as string;
    expect(await watched.recordEvents(() => secrets(`${page}/token`))).toEqual([
      ['tokens_issued', { userId, appId, authorizationId, kind: 'trial' }],
    ]);
    expect(await watched.recordEvents(() => watched.post(browser, `${page}/delete`))).toEqual([
      ['app_deleted', { userId, appId }],
      ['tokens_revoked', { appId, count: 1 }],
    ]);
  });

  it('given an app and its user, when tokens are asked for, given, misused and taken back, then each is told', async () => {
    const app = new OauthClient(watched.auth);
    const whose = { userId: alice.id, appId: DEMO_APP.clientId };
    const both = { ...whose, authorizationId: expect.any(String) as string };
    const granted = await watched.recordEvents(() => app.authorize(DEMO_QUERY));
    const scopes = ['make_payments', 'access_balance'];
    expect(granted).toEqual([
      ['sign_in_succeeded', { userId: alice.id }],
      ['consent_granted', { ...whose, scopes }],
    ]);
    const code = await app.requestCode();
    watched.canaries.add(code);
    const redeem = () => app.post({ ...DEMO_CREDENTIALS, code });
    expect(await watched.recordEvents(redeem)).toEqual([['tokens_issued', { ...both, kind: 'code' }]]);
    expect(await watched.recordEvents(redeem)).toEqual([
      ['authorization_code_reused', both],
      ['tokens_refused', { ...both, kind: 'code' }],
    ]);
    const first = await app.requestTokens();
    watched.canaries.add(first.access_token).add(first.refresh_token);
    const refresh = async () => watched.canaries.add((await app.refresh(first.refresh_token)).body.access_token ?? '');
    expect(await watched.recordEvents(refresh)).toEqual([['tokens_issued', { ...both, kind: 'refresh_token' }]]);
    expect(names(await watched.recordEvents(refresh))).toEqual(['refresh_token_reused', 'tokens_refused']);
    const { access_token: token } = await app.requestTokens();
    const revoke = () => app.send('/v1/oauth/revoke', { ...DEMO_CREDENTIALS, token });
    expect(await watched.recordEvents(revoke)).toEqual([['tokens_revoked', { ...both, count: 1 }]]);
    expect(await watched.recordEvents(revoke)).toEqual([]);
    await app.requestTokens();
    const browser = await watched.signedIn('alice');
    const limit = () => watched.post(browser, '/account/apps/amount', { app: DEMO_APP.clientId, amount_per_day: '20' });
    expect(await watched.recordEvents(limit)).toEqual([['app_amount_changed', whose]]);
    expect(await watched.recordEvents(limit)).toEqual([]);
    const disconnect = () => watched.post(browser, '/account/apps/revoke', { app: DEMO_APP.clientId });
    expect(await watched.recordEvents(disconnect)).toEqual([
      ['tokens_revoked', { ...whose, count: expect.any(Number) as number }],
    ]);
    expect(names(await watched.recordEvents(() => app.authorize(DEMO_QUERY, { decision: 'deny' })))).toContain(
      'consent_denied',
    );
    const wrong = { ...DEMO_CREDENTIALS, client_secret: 'a guess', code };
    expect(await watched.recordEvents(() => app.post(wrong))).toEqual([['app_refused', { appId: DEMO_APP.clientId }]]);
    expect(await watched.recordEvents(() => app.send('/introspect', { token }))).toEqual([
      ['introspection_refused', {}],
    ]);
  });
});

/** Last. */
describe('all of it', () => {
  it('given the table, when all was done that auth-service tells of, then each of its events was there', () => {
    const ours = Object.entries(SECURITY_EVENTS).filter(([, { writtenBy }]) => writtenBy === 'auth-service');
    const seen = new Set(watched.securityLines().map(({ securityEvent }) => securityEvent));
    expect(ours.map(([name]) => name).filter((name) => !seen.has(name))).toEqual([]);
  });

  it('given every event, when its line is read, then it has the hashes of address and browser, one per visitor', () => {
    const lines = watched.securityLines();
    const hash = expect.stringMatching(/^[\w-]{22}$/) as string;
    for (const line of lines) expect(line).toMatchObject({ addressHash: hash, browserHash: hash });
    const visitorOf = (event: string) => lines.find(({ securityEvent }) => securityEvent === event)?.['addressHash'];
    expect(visitorOf('sign_in_failed')).toBe(visitorOf('app_registered'));
    expect(visitorOf('sign_in_throttled')).not.toBe(visitorOf('sign_in_failed'));
  });

  it('given every line that was written, when searched, then no secret, address or code is in one', () => {
    const log = watched.written.join('');
    expect(watched.written.length).toBeGreaterThan(40);
    watched.canaries.delete('');
    for (const canary of watched.canaries) {
      const isFound = /^\d+$/.test(canary) ? new RegExp(`\\b${canary}\\b`).test(log) : log.includes(canary);
      expect([canary, isFound]).toEqual([canary, false]);
    }
  });
});
