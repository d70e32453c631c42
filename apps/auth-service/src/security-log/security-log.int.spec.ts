import { randomUUID } from 'node:crypto';
import { DEMO_APP, DEMO_PASSWORD, DEMO_USERS } from '@settle/contracts';
import { SECURITY_EVENTS } from '@settle/observability';
import { DEMO_CREDENTIALS, DEMO_QUERY, OauthClient } from '../../test/oauth-client.fixture.js';
import { sha256 } from '../secrets/secrets.js';
import { REQUEST_ID, RecordedAuth, type RecordedEvent } from '../../test/recorded-auth.fixture.js';

const { alice, bob, carol } = DEMO_USERS;
const NEW_PASSWORD = 'wet grass at noon';
const APP = { name: 'A', description: 'B', site_url: 'https://a.example/', more_redirect_urls: '' };

let recorded: RecordedAuth;
beforeAll(async () => (recorded = await RecordedAuth.start()));
afterAll(() => recorded.auth.stop());

const eventsOf = (work: () => Promise<unknown>) => recorded.recordEvents(work);
const readNames = (lines: readonly RecordedEvent[]) => lines.map(([name]) => name);

describe('signing in and out', () => {
  it('given correct and wrong passwords, when a user signs in and out, then each attempt and each ended session is logged', async () => {
    const browser = recorded.newBrowser();
    const { id: userId } = alice;
    expect(await eventsOf(() => recorded.signIn(browser, 'alice', 'a guess'))).toEqual([
      ['sign_in_failed', { userId }],
    ]);
    expect(await eventsOf(() => recorded.signIn(browser, alice.phone, 'a guess'))).toEqual([
      ['sign_in_failed', { userId }],
    ]);
    expect(await eventsOf(() => recorded.signIn(browser, 'unknown@example.com', 'a guess'))).toEqual([
      ['sign_in_failed', {}],
    ]);
    expect(await eventsOf(() => recorded.signIn(browser, 'alice'))).toEqual([['sign_in_succeeded', { userId }]]);
    expect(await eventsOf(() => recorded.post(browser, '/account/sign-out'))).toEqual([['session_ended', { userId }]]);
    expect(recorded.securityLines().every(({ requestId }) => requestId === REQUEST_ID)).toBe(true);
    const again = await recorded.signedIn('alice');
    expect(await eventsOf(() => recorded.post(again, '/account/sign-out-everywhere'))).toEqual([
      ['sessions_ended', { userId }],
    ]);
  });

  it('given many failed attempts, when the next one is throttled, then that is logged', async () => {
    const guesser = recorded.newBrowser('198.51.100.7');
    for (let n = 0; n < 10; n += 1) await recorded.signIn(guesser, 'carol', 'a guess');
    const next = await eventsOf(() => recorded.signIn(guesser, 'carol', 'a guess'));
    expect(next).toEqual([['sign_in_throttled', { userId: carol.id }]]);
  });

  it('given a form from another site, when it is refused, then that is logged', async () => {
    const evil = { origin: 'https://evil.test' };
    expect(await eventsOf(() => recorded.newBrowser().post('/account/sign-in', { username: 'alice' }, evil))).toEqual([
      ['form_refused', {}],
    ]);
  });
});

describe('passwords, codes and addresses', () => {
  it('given a signed-in user, when the password is changed, then the change and the new session are logged', async () => {
    const { id: userId } = bob;
    const browser = await recorded.signedIn('bob');
    const fields = { current_password: DEMO_PASSWORD, password: NEW_PASSWORD };
    const lines = await eventsOf(() => recorded.post(browser, '/account/password', fields));
    expect(lines).toEqual([
      ['password_changed', { userId }],
      ['sign_in_succeeded', { userId }],
    ]);
  });

  it('given a password reset, when codes are wrong, correct and requested too often, then each event is logged', async () => {
    const { id: userId, email } = carol;
    const browser = recorded.newBrowser('198.51.100.8');
    await recorded.post(browser, '/account/reset', { email });
    const code = await recorded.findCode(email);
    await recorded.auth.pool.query('insert into wrong_codes values ($1, 29, now())', [sha256(`codes for ${email}`)]);
    const complete = (typed: string) =>
      recorded.post(browser, '/account/reset/code', { code: typed, password: 'quiet rain at dusk' });
    expect(await eventsOf(() => complete('wrong!'))).toEqual([
      ['code_refused', { kind: 'reset', userId }],
      ['codes_lengthened', { kind: 'reset' }],
    ]);
    expect(await eventsOf(() => complete(code))).toEqual([['code_refused', { kind: 'reset', userId }]]);
    await recorded.post(browser, '/account/reset', { email });
    const longer = await recorded.findCode(email, 10);
    expect(await eventsOf(() => complete(longer))).toEqual([['password_reset', { userId }]]);
    await recorded.post(browser, '/account/reset', { email });
    const fourth = await eventsOf(() => recorded.post(browser, '/account/reset', { email }));
    expect(fourth).toEqual([['codes_throttled', { kind: 'email' }]]);
  });

  it('given a new user, when the user signs up, takes over an address and removes it, then each event is logged', async () => {
    const browser = recorded.newBrowser('198.51.100.9');
    const profile = { first_name: 'Dora', last_name: 'Dane', phone: '', password: NEW_PASSWORD, return_to: '' };
    await recorded.post(browser, '/account/sign-up', { ...profile, username: 'dora', email: 'dora@example.com' });
    const code = await recorded.findCode('dora@example.com');
    const signUp = await eventsOf(() => recorded.post(browser, '/account/sign-up/code', { code }));
    const userId = signUp[0]?.[1].userId;
    expect(userId).toMatch(/^\d{18,19}$/);
    expect(signUp).toEqual([
      ['account_created', { userId }],
      ['sign_in_succeeded', { userId }],
    ]);
    const claim = { address: bob.phone, current_password: NEW_PASSWORD };
    await recorded.post(browser, '/account/addresses/phone', claim);
    const phoneCode = await recorded.findCode(bob.phone);
    expect(await eventsOf(() => recorded.post(browser, '/account/addresses/phone/code', { code: phoneCode }))).toEqual([
      ['address_added', { userId, kind: 'phone' }],
      ['address_lost', { userId: bob.id, kind: 'phone' }],
    ]);
    expect(await eventsOf(() => recorded.post(browser, '/account/addresses/phone/remove', claim))).toEqual([
      ['address_removed', { userId, kind: 'phone' }],
    ]);
  });
});

describe('money from and to the outside', () => {
  it('given a provider, when a card is added and removed and money is added and withdrawn, then each change is logged once', async () => {
    const facts = { userId: alice.id };
    const browser = await recorded.signedIn('alice');
    const ids = { source_key: `src-${randomUUID()}`, funding_id: randomUUID(), change_id: randomUUID() };
    const fields = { ...ids, amount: '20', for_payouts: 'yes' };
    const send = (path: string) => () => recorded.post(browser, `/account/funding/${path}`, fields);
    await send('sources')();
    const added = await eventsOf(() => browser.get(recorded.returnPath));
    expect(added).toEqual([['funding_source_added', facts]]);
    expect(await eventsOf(send('sources/payouts'))).toEqual([['payout_source_changed', facts]]);
    expect(await eventsOf(send('deposits'))).toEqual([['deposit_requested', facts]]);
    expect(await eventsOf(send('deposits'))).toEqual([]);
    expect(await eventsOf(send('withdrawals'))).toEqual([['withdrawal_requested', facts]]);
    expect(await eventsOf(send('sources/remove'))).toEqual([['funding_source_removed', facts]]);
  });
});

describe('apps and their tokens', () => {
  it('given a developer, when an app is registered, changed and deleted, then each event is logged', async () => {
    const { id: userId } = alice;
    const browser = await recorded.signedIn('alice');
    const fields = { ...APP, redirect_url: 'https://a.example/cb' };
    const [registered] = await eventsOf(() => recorded.post(browser, '/developers/apps', fields));
    const appId = registered?.[1].appId as string;
    expect([registered, appId]).toEqual([
      ['app_registered', { userId, appId }],
      expect.stringMatching(/^[1-9]\d{0,9}$/),
    ]);
    const page = `/developers/apps/${appId}`;
    expect(await eventsOf(() => recorded.post(browser, page, fields))).toEqual([['app_changed', { userId, appId }]]);
    const secrets = async (path: string) => {
      const html = await (await recorded.post(browser, path)).text();
      for (const [secret] of html.matchAll(/\b[\w-]{43}\b/g)) recorded.canaries.add(secret);
    };
    for (let made = 0; made < 2; made += 1) {
      expect(await eventsOf(() => secrets(`${page}/secret`))).toEqual([['app_secret_rotated', { userId, appId }]]);
    }
    expect(await eventsOf(() => recorded.post(browser, `${page}/secret/end-former`))).toEqual([
      ['app_secret_ended', { userId, appId }],
    ]);
    const authorizationId = expect.any(String) as string;
    expect(await eventsOf(() => secrets(`${page}/token`))).toEqual([
      ['tokens_issued', { userId, appId, authorizationId, kind: 'trial' }],
    ]);
    expect(await eventsOf(() => recorded.post(browser, `${page}/delete`))).toEqual([
      ['app_deleted', { userId, appId }],
      ['tokens_revoked', { appId, count: 1 }],
    ]);
  });

  it('given an app and its user, when tokens are requested, issued, misused and revoked, then each event is logged', async () => {
    const app = new OauthClient(recorded.auth);
    const whose = { userId: alice.id, appId: DEMO_APP.clientId };
    const both = { ...whose, authorizationId: expect.any(String) as string };
    const granted = await eventsOf(() => app.authorize(DEMO_QUERY));
    const scopes = ['make_payments', 'access_balance'];
    expect(granted).toEqual([
      ['sign_in_succeeded', { userId: alice.id }],
      ['consent_granted', { ...whose, scopes }],
    ]);
    const code = await app.requestCode();
    recorded.canaries.add(code);
    const redeem = () => app.post({ ...DEMO_CREDENTIALS, code });
    expect(await eventsOf(redeem)).toEqual([['tokens_issued', { ...both, kind: 'code' }]]);
    expect(await eventsOf(redeem)).toEqual([
      ['authorization_code_reused', both],
      ['tokens_refused', { ...both, kind: 'code' }],
    ]);
    const first = await app.requestTokens();
    recorded.canaries.add(first.access_token).add(first.refresh_token);
    const refresh = async () => recorded.canaries.add((await app.refresh(first.refresh_token)).body.access_token ?? '');
    expect(await eventsOf(refresh)).toEqual([['tokens_issued', { ...both, kind: 'refresh_token' }]]);
    expect(readNames(await eventsOf(refresh))).toEqual(['refresh_token_reused', 'tokens_refused']);
    const { access_token: token } = await app.requestTokens();
    const revoke = () => app.send('/v1/oauth/revoke', { ...DEMO_CREDENTIALS, token });
    expect(await eventsOf(revoke)).toEqual([['tokens_revoked', { ...both, count: 1 }]]);
    expect(await eventsOf(revoke)).toEqual([]);
    await app.requestTokens();
    const browser = await recorded.signedIn('alice');
    const limit = () =>
      recorded.post(browser, '/account/apps/amount', { app: DEMO_APP.clientId, amount_per_day: '20' });
    expect(await eventsOf(limit)).toEqual([['app_amount_changed', whose]]);
    expect(await eventsOf(limit)).toEqual([]);
    const disconnect = () => recorded.post(browser, '/account/apps/revoke', { app: DEMO_APP.clientId });
    expect(await eventsOf(disconnect)).toEqual([['tokens_revoked', { ...whose, count: expect.any(Number) as number }]]);
    expect(readNames(await eventsOf(() => app.authorize(DEMO_QUERY, { decision: 'deny' })))).toContain(
      'consent_denied',
    );
    const wrong = { ...DEMO_CREDENTIALS, client_secret: 'a guess', code };
    expect(await eventsOf(() => app.post(wrong))).toEqual([['app_refused', { appId: DEMO_APP.clientId }]]);
    expect(await eventsOf(() => app.send('/introspect', { token }))).toEqual([['introspection_refused', {}]]);
  });
});

/** Runs last, over the log of all specs above. */
describe('the security log', () => {
  it('given the table of security events, when the log is read, then it contains every event of auth-service', () => {
    const events = Object.entries(SECURITY_EVENTS).filter(([, { writtenBy }]) => writtenBy === 'auth-service');
    const seen = new Set(recorded.securityLines().map(({ securityEvent }) => securityEvent));
    expect(events.map(([name]) => name).filter((name) => !seen.has(name))).toEqual([]);
  });

  it('given the lines of all events, when they are read, then each has hashes of address and browser that identify the visitor', () => {
    const lines = recorded.securityLines();
    const hash = expect.stringMatching(/^[\w-]{22}$/) as string;
    for (const line of lines) expect(line).toMatchObject({ addressHash: hash, browserHash: hash });
    const visitorOf = (event: string) => lines.find(({ securityEvent }) => securityEvent === event)?.['addressHash'];
    expect(visitorOf('sign_in_failed')).toBe(visitorOf('app_registered'));
    expect(visitorOf('sign_in_throttled')).not.toBe(visitorOf('sign_in_failed'));
  });

  it('given the whole log, when it is searched, then it contains no secret, address or code', () => {
    const log = recorded.written.join('');
    expect(recorded.written.length).toBeGreaterThan(40);
    recorded.canaries.delete('');
    for (const canary of recorded.canaries) {
      const isFound = /^\d+$/.test(canary) ? new RegExp(`\\b${canary}\\b`).test(log) : log.includes(canary);
      expect([canary, isFound]).toEqual([canary, false]);
    }
  });
});
