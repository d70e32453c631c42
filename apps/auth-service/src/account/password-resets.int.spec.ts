import { LIMITS } from '@settle/config';
import { DEMO_USERS } from '@settle/contracts';
import { eventually, freshDatabase } from '@settle/testing';
import { PagesBrowser } from '../../test/pages-browser.fixture.js';
import { sha256 } from '../secrets/secrets.js';
import { startAuth, type StartedAuth } from '../../test/started-auth.fixture.js';

const { email } = DEMO_USERS.alice;

let auth: StartedAuth;
beforeAll(async () => {
  auth = await startAuth(await freshDatabase(), { DEV_TOOLS: 'true' });
});
afterAll(() => auth.stop());

const requestCode = async (address: string, from = '192.0.2.1') => {
  const browser = new PagesBrowser(auth.service.url, { 'x-forwarded-for': from });
  const page = await (await browser.get('/account/reset')).text();
  return { browser, response: await browser.submit(page, '/account/reset', { email: address }) };
};

describe('a password reset', () => {
  it("given a correct code, when the new password is the user's own address, then it is rejected and the code stays valid", async () => {
    const { browser } = await requestCode(email);
    const code = await eventually(async () => {
      const { rows } = await auth.pool.query<{ text: string }>('select text from mailbox_messages');
      expect(rows).toHaveLength(1);
      return rows[0]!.text.slice(0, 6);
    });
    const page = await (await browser.get('/account/reset/code')).text();
    const complete = async (typed: string, password: string) => {
      const response = await browser.submit(page, '/account/reset/code', { code: typed, password });
      return { status: response.status, text: await response.text() };
    };
    const guess = await complete('wrong', email);
    expect([guess.status, guess.text.includes('Your own name')]).toEqual([400, false]);
    const refused = await complete(code, email);
    expect([refused.status, refused.text.includes('Your own name')]).toEqual([400, true]);
    expect((await complete(code, 'wet grass at noon')).status).toBe(303);
    const find = 'select 1 from credentials where user_id = $1 and password_reset_at > $2';
    const { rowCount } = await auth.pool.query(find, [DEMO_USERS.alice.id, new Date(Date.now() - 60_000)]);
    expect(rowCount).toBe(1);
  });

  it('given codes in three browsers, when one resets the password, then the others are void', async () => {
    const { email: address } = DEMO_USERS.carol;
    const browsers: PagesBrowser[] = [];
    for (const from of ['192.0.2.31', '192.0.2.32', '192.0.2.33'])
      browsers.push((await requestCode(address, from)).browser);
    const codes = await eventually(async () => {
      const find = 'select text, subject from mailbox_messages where sent_to = $1 order by id';
      const { rows } = await auth.pool.query<{ text: string; subject: string }>(find, [address]);
      expect(rows).toHaveLength(3);
      for (const { text, subject } of rows) {
        expect(text).toMatch(/^\d{6} is your code to choose a new password for your account at Settle\./);
        expect(subject).toBe('Your code to choose a new password for your account at Settle');
      }
      return rows.map(({ text }) => text.slice(0, 6));
    });
    const complete = async (index: number, password: string) => {
      const page = await (await browsers[index]!.get('/account/reset/code')).text();
      return (await browsers[index]!.submit(page, '/account/reset/code', { code: codes[index]!, password })).status;
    };
    const racing = await Promise.all([complete(0, 'wet grass at noon'), complete(1, 'dry grass at dawn')]);
    expect(racing.toSorted()).toEqual([303, 400]);
    expect(await complete(2, 'late snow at dusk')).toBe(400);
  });

  it('given an exhausted daily quota, when one more code is requested, then an address must wait, and an account receives no code', async () => {
    const { bob } = DEMO_USERS;
    const setUsage = (name: string, codes: number) =>
      auth.pool.query('insert into sent_codes values ($1, $2, now())', [sha256(name), codes]);
    const { address, account } = LIMITS.auth.codesPerDay;
    await setUsage('codes to unknown@example.com', address);
    const refused = (await requestCode('unknown@example.com', '192.0.2.41')).response;
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(86_000);
    await setUsage(`codes for ${bob.id}`, account);
    expect((await requestCode(bob.email, '192.0.2.42')).response.status).toBe(303);
    const find = 'select text from mailbox_messages where sent_to = $1';
    expect((await auth.pool.query(find, [bob.email])).rows).toEqual([]);
    await auth.pool.query('delete from sent_codes');
  });

  it('given a stranger who requested codes until rejected, when the owner requests one from another network, then it is sent', async () => {
    const statuses = [];
    for (let n = 0; n < 4; n += 1)
      statuses.push((await requestCode('bob@example.com', `2001:db8:1:2::${n}`)).response.status);
    expect(statuses).toEqual([303, 303, 303, 429]);
    expect((await requestCode('bob@example.com', '198.51.100.9')).response.status).toBe(303);
  });
});
