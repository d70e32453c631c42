import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { DEMO_APP, DEMO_USERS, TOPICS, getAccount, tokensRevoked, type TokensRevoked } from '@settle/contracts';
import { freshDatabase, programEnvironment } from '@settle/testing';
import { DEMO_CREDENTIALS, DEMO_QUERY, OauthClient, stubOtherServices } from '../../test/oauth-client.fixture.js';
import { sha256 } from '../secrets/secrets.js';
import { signInDemoUser, startAuth, type StartedAuth } from '../../test/started-auth.fixture.js';

const ADMIN = fileURLToPath(new URL('../../dist/admin.js', import.meta.url));
const { alice, bob } = DEMO_USERS;
const APP = DEMO_APP.clientId;

let auth: StartedAuth;
let app: OauthClient;
/** SHA-256 of the tokens that were published to gateways, in hex. */
let published: Set<string>;

beforeEach(async () => {
  auth = await startAuth(await freshDatabase());
  stubOtherServices(auth);
  const account = { card: { ...bob, displayName: 'Bob', profilePictureUrl: '' }, addresses: [], isVerified: true };
  auth.bus.handle(TOPICS.usersRequests, getAccount.pattern, () => Promise.resolve(account));
  app = new OauthClient(auth);
  published = new Set();
  auth.bus.consume(tokensRevoked.topic, tokensRevoked.pattern, 'spec', (events) => {
    for (const { payload } of events) for (const hash of (payload as TokensRevoked).tokenSha256s) published.add(hash);
    return Promise.resolve();
  });
});
afterEach(() => auth.stop());

/** Runs the built command with the settings of auth-service. */
async function admin(line: string) {
  const env = { ...programEnvironment(), DATABASE_URL: auth.databaseUrl };
  const child = spawn(process.execPath, ['--no-warnings', ADMIN, ...line.split(' ')], { env });
  const written = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => (written.stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (written.stderr += chunk.toString()));
  await once(child, 'close');
  return { code: child.exitCode, ...written };
}

const parseEvent = ({ stderr }: { readonly stderr: string }) => JSON.parse(stderr) as Record<string, unknown>;
const isPublished = (token: string) => published.has(sha256(token).toString('hex'));

/** Loads a page in the browser. */
async function pageOf(browser: Awaited<ReturnType<typeof signInDemoUser>>['browser'], path: string) {
  const response = await browser.get(path);
  return { status: response.status, location: response.headers.get('location'), html: await response.text() };
}

describe('suspend-app and resume-app', () => {
  it('given an app with tokens, when it is suspended, then its tokens are revoked and published to the gateways and it gets no new ones', async () => {
    const tokens = await app.requestTokens();
    const code = await app.requestCode();
    const developer = (await signInDemoUser(auth, DEMO_QUERY)).browser;
    const before = (await pageOf(developer, `/developers/apps/${APP}`)).html;
    const done = await admin(`suspend-app ${APP} --operator=jo.doe`);
    expect(done).toMatchObject({ code: 0, stdout: expect.stringContaining(`App ${APP} is suspended`) as string });
    expect(parseEvent(done)).toMatchObject({
      securityEvent: 'operator_app_suspended',
      level: 'warn',
      appId: APP,
      operator: 'jo.doe',
      // Includes the authorization of each code.
      count: 4,
    });
    expect(isPublished(tokens.access_token)).toBe(true);
    expect(await app.check(tokens.access_token)).toBe('revoked_token');
    for (const fields of [{ refresh_token: tokens.refresh_token }, { code }]) {
      const { status, body } = await app.post({ ...DEMO_CREDENTIALS, ...fields });
      expect([status, body.error?.code, body.error?.message]).toEqual([
        401,
        'invalid_client',
        expect.stringContaining('suspended'),
      ]);
    }
    const response = await pageOf(developer, `/v1/oauth/authorize?${DEMO_QUERY}`);
    expect([response.status, response.location]).toEqual([403, null]);
    expect(response.html).toContain('This app is suspended');
    expect((await pageOf(developer, '/developers')).html).toContain('<span class="tag open">suspended</span>');
    const appPage = (await pageOf(developer, `/developers/apps/${APP}`)).html;
    expect(appPage).toContain('This app is suspended: its tokens have ended');
    expect(appPage).not.toContain('Create a sandbox token');
    const trial = await developer.submit(before, `/developers/apps/${APP}/token`, {});
    expect([trial.status, (await trial.text()).includes('This app is suspended')]).toEqual([403, true]);
  });

  it('given a suspended app, when it authenticates with a wrong secret, then the error does not reveal the suspension', async () => {
    await admin(`suspend-app ${APP}`);
    const { status, body } = await app.post({ ...DEMO_CREDENTIALS, client_secret: 'a guess', code: 'x' });
    expect([status, body.error?.message]).toEqual([401, 'The app is unknown or its secret is wrong.']);
  });

  it('given an open consent page, when its app is suspended and the user allows it, then no code is issued', async () => {
    const { browser, consentPage } = await signInDemoUser(auth, DEMO_QUERY);
    await admin(`suspend-app ${APP}`);
    const response = await browser.submit(consentPage, '/v1/oauth/consent', { decision: 'allow' });
    expect([response.status, response.headers.get('location')]).toEqual([403, null]);
  });

  it('given a suspended app, when it is resumed, then its users must consent again, and former tokens stay revoked', async () => {
    const before = await app.requestTokens();
    await admin(`suspend-app ${APP}`);
    const done = await admin(`resume-app ${APP} --operator=jo`);
    expect(parseEvent(done)).toMatchObject({ securityEvent: 'operator_app_resumed', appId: APP, operator: 'jo' });
    expect((await signInDemoUser(auth, DEMO_QUERY)).consentPage).toContain('Allow');
    expect(await app.check((await app.requestTokens()).access_token)).toMatchObject({ appId: APP, userId: alice.id });
    expect(await app.check(before.access_token)).toBe('revoked_token');
    expect((await app.refresh(before.refresh_token)).body.error?.code).toBe('invalid_grant');
    expect(await admin(`resume-app ${APP}`)).toEqual({
      code: 0,
      stdout: `App ${APP} is not suspended\n`,
      stderr: '',
    });
  });

  it.each(['suspend-app', 'resume-app'])(
    'given an unknown app, when %s runs, then the exit code is 1',
    async (verb) => {
      const stderr = 'There is no app with the client_id "77"\n';
      expect(await admin(`${verb} 77`)).toEqual({ code: 1, stdout: '', stderr });
    },
  );
});

describe('end-sessions', () => {
  it('given a user with sessions, tokens and consents, when end-sessions runs, then they are ended and those of other users are not', async () => {
    const tokens = await app.requestTokens();
    const { browser } = await signInDemoUser(auth, DEMO_QUERY);
    const bobs = (await signInDemoUser(auth, DEMO_QUERY, 'bob')).browser;
    const done = await admin('end-sessions ALICE --operator=jo');
    expect(done).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^alice \(\d+\): \d sessions and 2 /) as string,
    });
    expect(parseEvent(done)).toMatchObject({
      securityEvent: 'operator_access_ended',
      level: 'warn',
      userId: alice.id,
      operator: 'jo',
      count: 2,
    });
    expect(isPublished(tokens.access_token)).toBe(true);
    expect(await app.check(tokens.access_token)).toBe('revoked_token');
    expect((await app.refresh(tokens.refresh_token)).body.error?.code).toBe('invalid_grant');
    expect(await pageOf(browser, '/account/security')).toMatchObject({
      status: 303,
      location: expect.stringContaining('/account/sign-in') as string,
    });
    expect((await pageOf(bobs, '/account/security')).status).toBe(200);
    // The user must consent again.
    expect((await signInDemoUser(auth, DEMO_QUERY)).consentPage).toContain('Allow');
  });

  it('given an unknown user, when end-sessions runs, then the exit code is 1', async () => {
    const stderr = 'There is no user "unknown": usernames are written without an @\n';
    expect(await admin('end-sessions unknown')).toEqual({ code: 1, stdout: '', stderr });
  });
});

describe('the audit', () => {
  it('given changes of an operator, when "audit" runs, then each is listed with operator, reason and outcome', async () => {
    await admin('end-sessions alice --operator=jo --reason=stolen');
    await admin('user bob --frozen-for-reading --operator=al');
    await admin('suspend-app 77 --operator=jo');
    const lines = (await admin('audit')).stdout.split('\n');
    const time = String.raw`^\d{4}-\d\d-\d\dT[\d:.]+Z  `;
    expect(lines).toEqual([
      expect.stringMatching(`${time}jo  suspend-app app 77  failed  no reason given$`),
      expect.stringMatching(`${time}al  user user ${bob.id} frozen-for-reading=true  done  no reason given$`),
      expect.stringMatching(`${time}jo  end-sessions user ${alice.id}  done  reason: stolen$`),
      '',
    ]);
    expect((await admin('audit --user alice')).stdout).toBe(`${lines[2]}\n`);
    expect((await admin('audit --limit 1')).stdout).toBe(`${lines[0]}\n`);
    expect((await admin(`audit --before ${lines[2]?.slice(0, 24)}`)).stdout).toBe('');
    expect(await admin('audit --user unknown')).toMatchObject({ code: 1, stdout: '' });
  });
});

describe('frozen-for-reading', () => {
  it('given an account, when it is frozen for reading and unfrozen, then tokens, pages and refreshes fail and work again', async () => {
    const tokens = await app.requestTokens();
    const code = await app.requestCode();
    const { browser } = await signInDemoUser(auth, DEMO_QUERY);
    const done = await admin('user alice --frozen-for-reading --operator=jo');
    expect(done).toMatchObject({ code: 0, stdout: '  frozen-for-reading yes\n' });
    expect(parseEvent(done)).toMatchObject({
      securityEvent: 'operator_flags_set',
      userId: alice.id,
      operator: 'jo',
      flags: { 'frozen-for-reading': true },
    });
    expect(isPublished(tokens.access_token)).toBe(true);
    expect(await app.check(tokens.access_token)).toBe('account_frozen');
    for (const path of ['/account/security', '/developers', `/v1/oauth/authorize?${DEMO_QUERY}`]) {
      const page = await pageOf(browser, path);
      expect([path, page.status, page.html.includes('Your account is frozen')]).toEqual([path, 403, true]);
    }
    for (const fields of [{ refresh_token: tokens.refresh_token }, { code }]) {
      const { status, body } = await app.post({ ...DEMO_CREDENTIALS, ...fields });
      expect([status, body.error?.code, 'balance' in body]).toEqual([400, 'invalid_grant', false]);
    }
    expect(await admin('user alice --no-frozen')).toMatchObject({ code: 0, stdout: '  frozen-for-reading no\n' });
    expect(await app.check(tokens.access_token)).toMatchObject({ userId: alice.id });
    expect((await pageOf(browser, '/account/security')).status).toBe(200);
    for (const fields of [{ refresh_token: tokens.refresh_token }, { code }]) {
      expect((await app.post({ ...DEMO_CREDENTIALS, ...fields })).status).toBe(200);
    }
  });

  it('given an account that is frozen for reading, when its app revokes the token, then the token is revoked', async () => {
    const { access_token: token } = await app.requestTokens();
    await admin('user alice --frozen-for-reading');
    const path = `${auth.service.url}/v1/oauth/access_token`;
    const { status } = await fetch(path, { method: 'DELETE', headers: { authorization: `Bearer ${token}` } });
    expect([status, await app.check(token)]).toEqual([204, 'revoked_token']);
  });

  it('given an account that is not frozen, when it is unfrozen, then nothing changes and no event is logged', async () => {
    expect(await admin('user alice --no-frozen')).toEqual({
      code: 0,
      stdout: '  frozen-for-reading no\n',
      stderr: '',
    });
  });
});

describe('commands without a running auth-service', () => {
  it('given no running auth-service, when an app is suspended, then the exit code is 2 and the suspension is stored', async () => {
    const tokens = await app.requestTokens();
    await auth.service.drain();
    const late = await admin(`suspend-app ${APP}`);
    expect(late).toMatchObject({ code: 2, stdout: '' });
    expect((await admin('audit')).stdout).toMatch(new RegExp(`suspend-app app ${APP}  stored `));
    expect(late.stderr).toMatch(/operator_app_suspended.*\nThe change is stored and takes effect shortly\.\n$/);
    expect(await app.check(tokens.access_token)).toBe('revoked_token');
  });
});
