import { LIMITS } from '@settle/config';
import { createAccount, type CreateAccount } from '@settle/contracts';
import { eventually, freshDatabase } from '@settle/testing';
import { PagesBrowser } from '../../test/pages-browser.fixture.js';
import { startAuth, type StartedAuth } from '../../test/started-auth.fixture.js';

const PROFILE = { first_name: 'Dora', last_name: 'Dane', phone: '', password: 'wet grass at noon' };

let auth: StartedAuth;
beforeAll(async () => {
  auth = await startAuth(await freshDatabase(), { DEMO: 'false', DEV_TOOLS: 'true' });
});
afterAll(() => auth.stop());

async function signUp(username: string): Promise<Response> {
  const browser = new PagesBrowser(auth.service.url);
  const email = `${username}@example.com`;
  const page = await (await browser.get('/account/sign-up')).text();
  await browser.submit(page, '/account/sign-up', { ...PROFILE, username, email });
  const codePage = await (await browser.get('/account/sign-up/code')).text();
  const code = await eventually(async () => {
    const { rows } = await auth.pool.query<{ text: string }>('select text from mailbox_messages where sent_to = $1', [
      email,
    ]);
    expect(rows).toHaveLength(1);
    return rows[0]!.text.slice(0, 6);
  });
  return browser.submit(codePage, '/account/sign-up/code', { code });
}

describe('signing up', () => {
  it('given an unavailable users-service, when the correct code is entered, then the user is signed in and the account is created once users-service is available', async () => {
    const response = await signUp('dora');
    expect([response.status, response.headers.get('location')]).toEqual([303, '/account']);
    const waiting = () => auth.pool.query('select user_id from new_people').then(({ rows }) => rows as object[]);
    const [row] = await waiting();
    expect(row).toBeDefined();
    const requests: CreateAccount[] = [];
    auth.bus.handle(createAccount.topic, createAccount.pattern, (payload) => {
      requests.push(payload as CreateAccount);
      return Promise.resolve({});
    });
    await eventually(async () => expect(await waiting()).toEqual([]));
    expect(requests[0]).toMatchObject({ username: 'dora', email: 'dora@example.com', firstName: 'Dora' });
    expect(JSON.stringify(requests)).not.toContain(PROFILE.password);
  });

  it('given a new account, when its password is stored, then it is an Argon2id hash with at least the parameters of OWASP', async () => {
    await signUp('emil');
    const { rows } = await auth.pool.query<{ password_hash: string }>('select password_hash from credentials');
    for (const { password_hash: hash } of rows) expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    const columns = JSON.stringify((await auth.pool.query('select * from sign_ups')).rows);
    expect(columns).toBe('[]');
  });
});

describe('repeated sign-ups', () => {
  it('given more concurrent sign-ups of a browser than passwords can be hashed, when they are sent, then all but three are refused before hashing', async () => {
    const browser = new PagesBrowser(auth.service.url);
    const page = await (await browser.get('/account/sign-up')).text();
    const fields = { ...PROFILE, username: 'frida', email: 'frida@example.com' };
    const sent = Array.from({ length: LIMITS.auth.hashesInProgress + LIMITS.auth.hashesWaiting + 6 }, async () => {
      const response = await browser.submit(page, '/account/sign-up', fields);
      return response.status === 429 ? /Too many [a-z ]+/.exec(await response.text())?.[0] : response.status;
    });
    const responses = await Promise.all(sent);
    expect(responses.filter((response) => response === 303)).toHaveLength(3);
    expect(new Set(responses)).toEqual(new Set([303, 'Too many codes were requested']));
  });
});

describe('a server without a mail server', () => {
  // Shows friend-10
  it('given production without a mail server, when a user signs up, then the page names the missing setting', async () => {
    const mute = await startAuth(await freshDatabase(), { DEMO: 'false', DEV_TOOLS: 'false' });
    try {
      const browser = new PagesBrowser(mute.service.url);
      const page = await (await browser.get('/account/sign-up')).text();
      const fields = { ...PROFILE, username: 'dora', email: 'dora@example.com' };
      const response = await browser.submit(page, '/account/sign-up', fields);
      expect(response.status).toBe(503);
      expect(await response.text()).toContain('SMTP_URL');
      expect((await browser.get('/dev/mailbox')).status).toBe(404);
    } finally {
      await mute.stop();
    }
  });
});
