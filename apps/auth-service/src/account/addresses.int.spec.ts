import { DEMO_PASSWORD, DEMO_USERS, SettleError, getAccount, proveAddress, removeAddress } from '@settle/contracts';
import { eventually, freshDatabase } from '@settle/testing';
import { PagesBrowser, parseForm } from '../pages-browser.fixture.js';
import { startAuth, type StartedAuth } from '../started-auth.fixture.js';

const { alice, bob } = DEMO_USERS;

let auth: StartedAuth;
/** What users-service says when an address is to go. */
let removing: () => Promise<object>;
beforeEach(async () => {
  auth = await startAuth(await freshDatabase(), { DEV_TOOLS: 'true' });
  removing = () => Promise.resolve({});
  const { email, phone, ...card } = alice;
  const addresses = [
    { kind: 'email', value: email, provenAtUs: 1 },
    { kind: 'phone', value: phone, provenAtUs: 1 },
  ];
  const account = { card: { ...card, displayName: 'Alice', about: '', profilePictureUrl: '' }, addresses };
  auth.bus.handle(getAccount.topic, getAccount.pattern, () => Promise.resolve(account));
  auth.bus.handle(proveAddress.topic, proveAddress.pattern, () => Promise.resolve(account));
  auth.bus.handle(removeAddress.topic, removeAddress.pattern, () => removing());
});
afterEach(() => auth.stop());

async function signIn(username: string): Promise<{ browser: PagesBrowser; status: number }> {
  const browser = new PagesBrowser(auth.service.url);
  const page = await (await browser.get('/account/sign-in')).text();
  const { status } = await browser.submit(page, '/account/sign-in', { username, password: DEMO_PASSWORD });
  return { browser, status };
}

async function change(path: string, fields: Record<string, string>, browser?: PagesBrowser): Promise<number> {
  const own = browser ?? (await signIn(alice.username)).browser;
  const page = await (await own.get('/account')).text();
  return (await own.post(path, { ...parseForm(page, path).fields, ...fields })).status;
}

const sent = async (text: string): Promise<string[]> => {
  const find = 'select sent_to from mailbox_messages where text like $1 order by sent_to';
  return (await auth.pool.query<{ sent_to: string }>(find, [`%${text}%`])).rows.map((row) => row.sent_to);
};

async function codeTo(address: string): Promise<string> {
  return eventually(async () => {
    const find = `select text from mailbox_messages where sent_to = $1 and text like '%is your code%'`;
    const { rows } = await auth.pool.query<{ text: string }>(find, [address]);
    expect(rows).toHaveLength(1);
    return rows[0]!.text.slice(0, 6);
  });
}

const REMOVE = '/account/addresses/email/remove';
const right = { address: alice.email, current_password: DEMO_PASSWORD };

describe('the addresses of an account', () => {
  it('given an open browser, when an address is added or removed without the password, then nothing is changed or sent', async () => {
    for (const password of ['', 'guess']) {
      expect(await change(REMOVE, { ...right, current_password: password })).toBe(403);
      const added = { address: 'eve@example.com', current_password: password };
      expect(await change('/account/addresses/email', added)).toBe(403);
    }
    expect((await signIn(alice.email)).status).toBe(303);
    expect(await sent('')).toEqual([]);
  });

  it('given an answer of users-service that is lost, when an address is removed, then it opens nothing, and all held are told', async () => {
    const resetting = new PagesBrowser(auth.service.url);
    const reset = await (await resetting.get('/account/reset')).text();
    await resetting.submit(reset, '/account/reset', { email: alice.email });
    const code = await codeTo(alice.email);
    removing = () => Promise.reject(new SettleError('outcome_unknown', 'Lost.'));
    expect(await change(REMOVE, right)).toBe(503);
    expect((await signIn(alice.email)).status).toBe(403);
    const page = await (await resetting.get('/account/reset/code')).text();
    const fields = { code, password: 'wet grass at noon' };
    expect((await resetting.submit(page, '/account/reset/code', fields)).status).toBe(400);
    await eventually(async () => expect(await sent('was removed')).toEqual([alice.phone, alice.email]));
  });

  it('given a refusal of users-service, when an address is removed, then it still signs in and nobody is told', async () => {
    removing = () => Promise.reject(new SettleError('not_permitted', 'This is your only e-mail address.'));
    expect(await change(REMOVE, right)).toBe(403);
    expect((await signIn(alice.email)).status).toBe(303);
    expect(await sent('was removed')).toEqual([]);
  });

  it("given another one's address, when its code is typed, then both are told at all that they held", async () => {
    const { browser } = await signIn(alice.username);
    const fields = { address: bob.email, current_password: DEMO_PASSWORD };
    expect(await change('/account/addresses/email', fields, browser)).toBe(303);
    const page = await (await browser.get('/account/addresses/email/code')).text();
    const code = await codeTo(bob.email);
    expect((await browser.submit(page, '/account/addresses/email/code', { code })).status).toBe(303);
    await eventually(async () => {
      expect(await sent(`${bob.email} was added`)).toEqual([alice.phone, alice.email].sort());
      expect(await sent(`${bob.email} no longer belongs`)).toEqual([bob.phone, bob.email].sort());
    });
  });
});
