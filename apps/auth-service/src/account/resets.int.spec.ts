import { DEMO_USERS } from '@settle/contracts';
import { eventually, freshDatabase } from '@settle/testing';
import { PagesBrowser } from '../pages-browser.fixture.js';
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
      const { rows } = await auth.pool.query<{ subject: string }>('select subject from mailbox_messages');
      expect(rows).toHaveLength(1);
      return rows[0]!.subject.slice(0, 6);
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

  it('given codes asked for by a stranger until they must wait, when the owner asks from elsewhere, then one is sent', async () => {
    const statuses = [];
    for (let n = 0; n < 4; n += 1) statuses.push((await ask('bob@example.com', `2001:db8:1:2::${n}`)).answer.status);
    expect(statuses).toEqual([303, 303, 303, 429]);
    expect((await ask('bob@example.com', '198.51.100.9')).answer.status).toBe(303);
  });
});
