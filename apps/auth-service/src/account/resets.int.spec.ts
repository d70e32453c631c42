import { LIMITS } from '@settle/config';
import { DEMO_USERS } from '@settle/contracts';
import { eventually, freshDatabase } from '@settle/testing';
import { PagesBrowser } from '../pages-browser.fixture.js';
import { sha256 } from '../secrets.js';
import { startAuth, type StartedAuth } from '../started-auth.fixture.js';

const { email } = DEMO_USERS.alice;

let auth: StartedAuth;
beforeAll(async () => {
  auth = await startAuth(await freshDatabase(), { DEV_TOOLS: 'true' });
});
afterAll(() => auth.stop());

const ask = async (address: string, from = '192.0.2.1') => {
  const browser = new PagesBrowser(auth.service.url, { 'x-forwarded-for': from });
  const page = await (await browser.get('/account/reset')).text();
  return { browser, answer: await browser.submit(page, '/account/reset', { email: address }) };
};

describe('a new password by a code', () => {
  it("given the owner's own address as the password, when the code is right, then it is refused, and the code stays good", async () => {
    const { browser } = await ask(email);
    const code = await eventually(async () => {
      const { rows } = await auth.pool.query<{ text: string }>('select text from mailbox_messages');
      expect(rows).toHaveLength(1);
      return rows[0]!.text.slice(0, 6);
    });
    const page = await (await browser.get('/account/reset/code')).text();
    const complete = async (typed: string, password: string) => {
      const answer = await browser.submit(page, '/account/reset/code', { code: typed, password });
      return { status: answer.status, text: await answer.text() };
    };
    const guess = await complete('wrong', email);
    expect([guess.status, guess.text.includes('Your own name')]).toEqual([400, false]);
    const refused = await complete(code, email);
    expect([refused.status, refused.text.includes('Your own name')]).toEqual([400, true]);
    expect((await complete(code, 'wet grass at noon')).status).toBe(303);
  });

  it('given codes in three browsers, when one of them resets the password, then the others are void', async () => {
    const { email: address } = DEMO_USERS.carol;
    const browsers: PagesBrowser[] = [];
    for (const from of ['192.0.2.31', '192.0.2.32', '192.0.2.33']) browsers.push((await ask(address, from)).browser);
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
    const complete = async (at: number, password: string) => {
      const page = await (await browsers[at]!.get('/account/reset/code')).text();
      return (await browsers[at]!.submit(page, '/account/reset/code', { code: codes[at]!, password })).status;
    };
    const racing = await Promise.all([complete(0, 'wet grass at noon'), complete(1, 'dry grass at dawn')]);
    expect(racing.toSorted()).toEqual([303, 400]);
    expect(await complete(2, 'late snow at dusk')).toBe(400);
  });

  it('given as many codes as a day allows, when one more is requested, then an address must wait, and an account over several addresses gets none', async () => {
    const { bob } = DEMO_USERS;
    const use = (name: string, codes: number) =>
      auth.pool.query('insert into sent_codes values ($1, $2, now())', [sha256(name), codes]);
    const { address, account } = LIMITS.auth.codesPerDay;
    await use('codes to nobody@example.com', address);
    const refused = (await ask('nobody@example.com', '192.0.2.41')).answer;
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(86_000);
    await use(`codes for ${bob.id}`, account);
    expect((await ask(bob.email, '192.0.2.42')).answer.status).toBe(303);
    const find = 'select text from mailbox_messages where sent_to = $1';
    expect((await auth.pool.query(find, [bob.email])).rows).toEqual([]);
    await auth.pool.query('delete from sent_codes');
  });

  it('given codes asked for by a stranger until they must wait, when the owner asks from elsewhere, then one is sent', async () => {
    const statuses = [];
    for (let n = 0; n < 4; n += 1) statuses.push((await ask('bob@example.com', `2001:db8:1:2::${n}`)).answer.status);
    expect(statuses).toEqual([303, 303, 303, 429]);
    expect((await ask('bob@example.com', '198.51.100.9')).answer.status).toBe(303);
  });
});
