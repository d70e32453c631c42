import { eventually } from '@settle/testing';
import { call, type Fields } from './client.js';
import { runOperatorCommand } from './operator.fixture.js';
import { runPaymentsCommand } from './payments-command.fixture.js';
import { findInTables } from './personal-data.fixture.js';
import { NEW_PASSWORD, pageUrl, signUp, verifyPhone, type SignedUpUser } from './sign-up.js';
import { loadDemoUser, type TestUser } from './users.js';
import { newBrowser } from './sign-in.js';
import type { WireCreated, WirePayment } from './wire.js';

const NOTE = 'The-Leaver-was-here';
const LAST_NAME = 'Vanderleave';
const CLOSING_MS = 120_000;

describe('an account that an operator closes', () => {
  let alice: TestUser;
  let leaver: SignedUpUser;
  let phone: string;
  let held: string;
  let own: WirePayment;

  beforeAll(async () => {
    alice = await loadDemoUser('alice');
    const email = `leaver.${Date.now()}.${process.pid}@example.com`;
    // Before the address is verified: the event has it.
    held = (await sendWithKey('held', { email, amount: '2.00', note: 'For the owner' })).body.data.payment.id;
    leaver = await signUp({ email, last_name: LAST_NAME });
    phone = await verifyPhone(leaver);
    await eventually(async () => expect(await leaver.balanceCents()).toBe(200));
    await sendWithKey('direct', { user_id: leaver.id, amount: '1.00', note: 'Kept by its author' });
    own = (await leaver.send({ user_id: alice.id }, '3.00', { note: NOTE })).body.data.payment;
    await leaver.send({ user_id: alice.id }, '-1.00', { note: NOTE });
    await alice.send({ user_id: leaver.id }, '-1.00', { note: 'To be denied' });
  });

  /** The response is kept for a day. */
  const sendWithKey = (key: string, form: Fields) =>
    call<WireCreated>('/payments', {
      ...{ method: 'POST', token: alice.token, form },
      headers: { 'idempotency-key': `leaver-${key}-${process.pid}` },
    });

  it('given a balance, when it is to be closed, then it stays open and the reason is named', async () => {
    await alice.send({ user_id: leaver.id }, '0.10');
    const refused = await runOperatorCommand('close', leaver.username);
    expect([refused.code, refused.complaint]).toEqual([
      1,
      expect.stringContaining('the balance is 10 cents, not zero'),
    ]);
    expect(await leaver.balanceCents()).toBe(10);
    expect((await leaver.send({ user_id: alice.id }, '0.10', { note: NOTE })).body.data.payment.status).toBe('settled');
  });

  it(
    'given a balance of zero, when it is closed twice, then pending requests have ended, other balances are as before, and the audit says who did it and why',
    async () => {
      const before = await alice.balanceCents();
      const words = ['--reason', 'asked by letter', '--operator', 'jo'];
      for (const subject of [leaver.username, leaver.id]) {
        const { code, output, complaint } = await runOperatorCommand('close', subject, ...words);
        expect({ code, output, complaint }).toMatchObject({ code: 0 });
        expect(output).toContain('the account is closed');
      }
      expect(await alice.balanceCents()).toBe(before);
      const { output } = await runOperatorCommand('audit', '--user', leaver.id);
      expect(output).toMatch(/jo {2}close profile user \d+ {2}done {2}reason: asked by letter/);
      expect(output).not.toContain(leaver.username);
    },
    CLOSING_MS,
  );

  it(
    'given a closed account, when every table and the event log are searched, then nothing names the user, and the ledger is in order',
    async () => {
      const gone = [leaver.username, leaver.email, phone, LAST_NAME, NOTE];
      expect(await findInTables(process.env.E2E_DATA_DIR ?? '', gone)).toEqual([]);
      expect(await runPaymentsCommand('ledger', 'verify')).toMatch(/^read models: in order$/m);
    },
    CLOSING_MS,
  );

  it('given a closed user, when others look for the user, then there is none by id, username, e-mail or phone', async () => {
    expect((await call(`/users/${leaver.id}`, { token: alice.token })).status).toBe(404);
    expect((await call(`/users/${leaver.id}/friends`, { token: alice.token })).status).toBe(404);
    expect((await alice.send({ user_id: leaver.id }, '0.10')).status).toBe(404);
    for (const subject of [leaver.username, leaver.email, phone]) {
      expect((await runOperatorCommand('find', subject)).code).toBe(1);
    }
    const { body } = await alice.send({ email: leaver.email }, '0.10');
    expect(body.data.payment).toMatchObject({ status: 'pending', target: { user: null } });
    await alice.act(body.data.payment.id, 'cancel');
  });

  it('given payments with a closed user, when the other one reads them, then the money is there, and no name, picture or note', async () => {
    const read = (await alice.read(own.id)).body.data;
    const profile_picture_url = expect.stringMatching(/\/pictures\/CA\.svg$/) as string;
    const closedUser = { id: leaver.id, display_name: 'Closed account', about: '', profile_picture_url };
    expect(read).toMatchObject({ amount: 3, status: 'settled', note: '', actor: closedUser });
    expect((await alice.read(held)).body.data).toMatchObject({ note: 'For the owner', target: { user: closedUser } });
    const listed = (await alice.list({ limit: 50 })).body.data.filter(({ actor }) => actor.id === leaver.id);
    expect(new Set(listed.map(({ note, status }) => `${note} ${status}`))).toEqual(new Set([' settled', ' cancelled']));
  });

  it('given a closed account, when its user comes back, then no token and no password opens it', async () => {
    expect((await call('/me', { token: leaver.token })).status).toBe(401);
    const browser = newBrowser();
    const page = await browser.open(pageUrl('/account'));
    const after = await browser.submit(page, { username: leaver.username, password: NEW_PASSWORD }, 'Sign in');
    expect(after.forms.some(({ fields }) => 'password' in fields)).toBe(true);
  });
});
