import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { DEMO_APP, DEMO_USERS, TOPICS, getAccount, tokensRevoked, type TokensRevoked } from '@settle/contracts';
import { freshDatabase } from '@settle/testing';
import { DEMO_CREDENTIALS, DEMO_QUERY, OauthClient, stubOtherServices } from '../oauth-client.fixture.js';
import { sha256 } from '../secrets.js';
import { signInDemoUser, startAuth, type StartedAuth } from '../started-auth.fixture.js';

const ADMIN = fileURLToPath(new URL('../../dist/admin.js', import.meta.url));
const { alice, bob } = DEMO_USERS;
const APP = DEMO_APP.clientId;

let auth: StartedAuth;
let app: OauthClient;
/** What gateways were sent, in hex. */
let told: Set<string>;

beforeEach(async () => {
  auth = await startAuth(await freshDatabase());
  stubOtherServices(auth);
  const account = { card: { ...bob, displayName: 'Bob', profilePictureUrl: '' }, addresses: [], isVerified: true };
  auth.bus.handle(TOPICS.usersRequests, getAccount.pattern, () => Promise.resolve(account));
  app = new OauthClient(auth);
  told = new Set();
  auth.bus.follow(tokensRevoked.topic, tokensRevoked.pattern, 'spec', (events) => {
    for (const { payload } of events) for (const one of (payload as TokensRevoked).tokenSha256s) told.add(one);
    return Promise.resolve();
  });
});
afterEach(() => auth.stop());

/** The built program, with the settings of auth-service. */
async function admin(line: string) {
  const env = { PATH: process.env['PATH'] ?? '', DATABASE_URL: auth.databaseUrl };
  const child = spawn(process.execPath, ['--no-warnings', ADMIN, ...line.split(' ')], { env });
  const said = { output: '', complaint: '' };
  child.stdout.on('data', (chunk: Buffer) => (said.output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (said.complaint += chunk.toString()));
  await once(child, 'close');
  return { code: child.exitCode, ...said };
}

const event = ({ complaint }: { readonly complaint: string }) => JSON.parse(complaint) as Record<string, unknown>;
const wasTold = (token: string) => told.has(sha256(token).toString('hex'));

/** The page that somebody who is signed in sees. */
async function pageOf(browser: Awaited<ReturnType<typeof signInDemoUser>>['browser'], path: string) {
  const answer = await browser.get(path);
  return { status: answer.status, location: answer.headers.get('location'), html: await answer.text() };
}

describe('suspend-app and resume-app', () => {
  it('given an app with tokens, when suspended, then they are revoked, told to gateways, and it gets no new ones', async () => {
    const tokens = await app.requestTokens();
    const code = await app.requestCode();
    const developer = (await signInDemoUser(auth, DEMO_QUERY)).browser;
    const before = (await pageOf(developer, `/developers/apps/${APP}`)).html;
    const done = await admin(`suspend-app ${APP} --operator=jo.doe`);
    expect(done).toMatchObject({ code: 0, output: expect.stringContaining(`App ${APP} is suspended`) as string });
    expect(event(done)).toMatchObject({
      securityEvent: 'operator_app_suspended',
      level: 'warn',
      appId: APP,
      operator: 'jo.doe',
      // Of each code as well.
      count: 4,
    });
    expect(wasTold(tokens.access_token)).toBe(true);
    expect(await app.check(tokens.access_token)).toBe('revoked_token');
    for (const fields of [{ refresh_token: tokens.refresh_token }, { code }]) {
      const { status, body } = await app.post({ ...DEMO_CREDENTIALS, ...fields });
      expect([status, body.error?.code, body.error?.message]).toEqual([
        401,
        'invalid_client',
        expect.stringContaining('suspended'),
      ]);
    }
    const asked = await pageOf(developer, `/v1/oauth/authorize?${DEMO_QUERY}`);
    expect([asked.status, asked.location]).toEqual([403, null]);
    expect(asked.html).toContain('This app is suspended');
    expect((await pageOf(developer, '/developers')).html).toContain('<span class="tag open">suspended</span>');
    const own = (await pageOf(developer, `/developers/apps/${APP}`)).html;
    expect(own).toContain('This app is suspended: its tokens have ended');
    expect(own).not.toContain('Make a token for the sandbox');
    const trial = await developer.submit(before, `/developers/apps/${APP}/token`, {});
    expect([trial.status, (await trial.text()).includes('This app is suspended')]).toEqual([403, true]);
  });

  it('given a suspended app, when its secret is wrong, then the answer does not say that it is suspended', async () => {
    await admin(`suspend-app ${APP}`);
    const { status, body } = await app.post({ ...DEMO_CREDENTIALS, client_secret: 'a guess', code: 'x' });
    expect([status, body.error?.message]).toEqual([401, 'The app is unknown or its secret is wrong.']);
  });

  it('given a consent page that was shown before, when its app is suspended, then Allow gives nothing', async () => {
    const { browser, consentPage } = await signInDemoUser(auth, DEMO_QUERY);
    await admin(`suspend-app ${APP}`);
    const answer = await browser.submit(consentPage, '/v1/oauth/consent', { decision: 'allow' });
    expect([answer.status, answer.headers.get('location')]).toEqual([403, null]);
  });

  it('given a suspended app, when resumed, then its users are asked again, and former tokens stay ended', async () => {
    const before = await app.requestTokens();
    await admin(`suspend-app ${APP}`);
    const done = await admin(`resume-app ${APP} --operator=jo`);
    expect(event(done)).toMatchObject({ securityEvent: 'operator_app_resumed', appId: APP, operator: 'jo' });
    expect((await signInDemoUser(auth, DEMO_QUERY)).consentPage).toContain('Allow');
    expect(await app.check((await app.requestTokens()).access_token)).toMatchObject({ appId: APP, userId: alice.id });
    expect(await app.check(before.access_token)).toBe('revoked_token');
    expect((await app.refresh(before.refresh_token)).body.error?.code).toBe('invalid_grant');
    expect(await admin(`resume-app ${APP}`)).toEqual({
      code: 0,
      output: `App ${APP} is not suspended\n`,
      complaint: '',
    });
  });

  it.each(['suspend-app', 'resume-app'])('given an unknown app, when %s is run, then it ends with 1', async (verb) => {
    const complaint = 'There is no app with the client_id "77"\n';
    expect(await admin(`${verb} 77`)).toEqual({ code: 1, output: '', complaint });
  });
});

describe('end-sessions', () => {
  it('given a user, when their access is ended, then sessions, tokens and consents are gone, and of nobody else', async () => {
    const tokens = await app.requestTokens();
    const { browser } = await signInDemoUser(auth, DEMO_QUERY);
    const bobs = (await signInDemoUser(auth, DEMO_QUERY, 'bob')).browser;
    const done = await admin('end-sessions ALICE --operator=jo');
    expect(done).toMatchObject({
      code: 0,
      output: expect.stringMatching(/^alice \(\d+\): \d sessions and 2 /) as string,
    });
    expect(event(done)).toMatchObject({
      securityEvent: 'operator_access_ended',
      level: 'warn',
      userId: alice.id,
      operator: 'jo',
      count: 2,
    });
    expect(wasTold(tokens.access_token)).toBe(true);
    expect(await app.check(tokens.access_token)).toBe('revoked_token');
    expect((await app.refresh(tokens.refresh_token)).body.error?.code).toBe('invalid_grant');
    expect(await pageOf(browser, '/account/security')).toMatchObject({
      status: 303,
      location: expect.stringContaining('/account/sign-in') as string,
    });
    expect((await pageOf(bobs, '/account/security')).status).toBe(200);
    // What was allowed is asked again.
    expect((await signInDemoUser(auth, DEMO_QUERY)).consentPage).toContain('Allow');
  });

  it('given an unknown user, when their access is to be ended, then it ends with 1', async () => {
    const complaint = 'There is no user "nobody": usernames are written without an @\n';
    expect(await admin('end-sessions nobody')).toEqual({ code: 1, output: '', complaint });
  });
});

describe('frozen-for-reading', () => {
  it('given an account, when frozen for reading, then no token, page or refresh works, and all do again afterwards', async () => {
    const tokens = await app.requestTokens();
    const code = await app.requestCode();
    const { browser } = await signInDemoUser(auth, DEMO_QUERY);
    const done = await admin('user alice --frozen-for-reading --operator=jo');
    expect(done).toMatchObject({ code: 0, output: '  frozen-for-reading yes\n' });
    expect(event(done)).toMatchObject({
      securityEvent: 'operator_flags_set',
      userId: alice.id,
      operator: 'jo',
      flags: { 'frozen-for-reading': true },
    });
    expect(wasTold(tokens.access_token)).toBe(true);
    expect(await app.check(tokens.access_token)).toBe('account_frozen');
    for (const path of ['/account/security', '/developers', `/v1/oauth/authorize?${DEMO_QUERY}`]) {
      const page = await pageOf(browser, path);
      expect([path, page.status, page.html.includes('Your account is frozen')]).toEqual([path, 403, true]);
    }
    for (const fields of [{ refresh_token: tokens.refresh_token }, { code }]) {
      const { status, body } = await app.post({ ...DEMO_CREDENTIALS, ...fields });
      expect([status, body.error?.code, 'balance' in body]).toEqual([400, 'invalid_grant', false]);
    }
    expect(await admin('user alice --no-frozen')).toMatchObject({ code: 0, output: '  frozen-for-reading no\n' });
    expect(await app.check(tokens.access_token)).toMatchObject({ userId: alice.id });
    expect((await pageOf(browser, '/account/security')).status).toBe(200);
    for (const fields of [{ refresh_token: tokens.refresh_token }, { code }]) {
      expect((await app.post({ ...DEMO_CREDENTIALS, ...fields })).status).toBe(200);
    }
  });

  it('given an account that is frozen for reading, when its app gives the token back, then it is revoked', async () => {
    const { access_token: token } = await app.requestTokens();
    await admin('user alice --frozen-for-reading');
    const path = `${auth.service.url}/v1/oauth/access_token`;
    const { status } = await fetch(path, { method: 'DELETE', headers: { authorization: `Bearer ${token}` } });
    expect([status, await app.check(token)]).toEqual([204, 'revoked_token']);
  });

  it('given an account that is shown, when it is not frozen, then nothing changes and no event is written', async () => {
    expect(await admin('user alice --no-frozen')).toEqual({
      code: 0,
      output: '  frozen-for-reading no\n',
      complaint: '',
    });
  });
});

describe('the commands where they cannot be done at once', () => {
  it('given no auth-service that runs, when an app is suspended, then it ends with 2: stored, and it takes effect later', async () => {
    const tokens = await app.requestTokens();
    await auth.service.drain();
    const late = await admin(`suspend-app ${APP}`);
    expect(late).toMatchObject({ code: 2, output: '' });
    expect(late.complaint).toMatch(/operator_app_suspended.*\nThe change is stored and takes effect shortly\.\n$/);
    expect(await app.check(tokens.access_token)).toBe('revoked_token');
  }, 15_000);
});
