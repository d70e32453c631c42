import { DEMO_PASSWORD, DEMO_USERS, SettleError, getAccount, verifyAddress, removeAddress } from '@settle/contracts';
import { eventually, freshDatabase } from '@settle/testing';
import { PagesBrowser, parseForm } from '../../test/pages-browser.fixture.js';
import { startAuth, type StartedAuth } from '../../test/started-auth.fixture.js';

const { alice, bob } = DEMO_USERS;

let auth: StartedAuth;
/** The reply of users-service to the removal of an address. */
let replyToRemoval: () => Promise<object>;
beforeEach(async () => {
  auth = await startAuth(await freshDatabase(), { DEV_TOOLS: 'true' });
  replyToRemoval = () => Promise.resolve({});
  const { email, phone, ...card } = alice;
  const addresses = [
    { kind: 'email', value: email, provenAtUs: 1 },
    { kind: 'phone', value: phone, provenAtUs: 1 },
  ];
  const account = { card: { ...card, displayName: 'Alice', about: '', profilePictureUrl: '' }, addresses };
  auth.bus.handle(getAccount.topic, getAccount.pattern, () => Promise.resolve(account));
  auth.bus.handle(verifyAddress.topic, verifyAddress.pattern, () => Promise.resolve(account));
  auth.bus.handle(removeAddress.topic, removeAddress.pattern, () => replyToRemoval());
});
afterEach(() => auth.stop());

async function signIn(username: string): Promise<{ browser: PagesBrowser; status: number }> {
  const browser = new PagesBrowser(auth.service.url);
  const page = await (await browser.get('/account/sign-in')).text();
  const { status } = await browser.submit(page, '/account/sign-in', { username, password: DEMO_PASSWORD });
  return { browser, status };
}

async function submitForm(path: string, fields: Record<string, string>, browser?: PagesBrowser): Promise<number> {
  const signedIn = browser ?? (await signIn(alice.username)).browser;
  const page = await (await signedIn.get('/account')).text();
  return (await signedIn.post(path, { ...parseForm(page, path).fields, ...fields })).status;
}

const findRecipients = async (text: string): Promise<string[]> => {
  const find = 'select sent_to from mailbox_messages where text like $1 order by sent_to';
  return (await auth.pool.query<{ sent_to: string }>(find, [`%${text}%`])).rows.map((row) => row.sent_to);
};

async function readCodeFor(address: string): Promise<string> {
  return eventually(async () => {
    const find = `select text from mailbox_messages where sent_to = $1 and text like '%is your code%'`;
    const { rows } = await auth.pool.query<{ text: string }>(find, [address]);
    expect(rows).toHaveLength(1);
    return rows[0]!.text.slice(0, 6);
  });
}

const REMOVE_PATH = '/account/addresses/email/remove';
const removal = { address: alice.email, current_password: DEMO_PASSWORD };

describe('the addresses of an account', () => {
  it('given a signed-in user, when an address is added or removed with a wrong password, then nothing changes and no message is sent', async () => {
    for (const password of ['', 'guess']) {
      expect(await submitForm(REMOVE_PATH, { ...removal, current_password: password })).toBe(403);
      const added = { address: 'eve@example.com', current_password: password };
      expect(await submitForm('/account/addresses/email', added)).toBe(403);
    }
    expect((await signIn(alice.email)).status).toBe(303);
    expect(await findRecipients('')).toEqual([]);
  });

  it('given a lost reply of users-service, when an address is removed, then it no longer signs in or resets the password, and all addresses of the user are notified', async () => {
    const resetting = new PagesBrowser(auth.service.url);
    const reset = await (await resetting.get('/account/reset')).text();
    await resetting.submit(reset, '/account/reset', { email: alice.email });
    const code = await readCodeFor(alice.email);
    replyToRemoval = () => Promise.reject(new SettleError('outcome_unknown', 'Lost.'));
    expect(await submitForm(REMOVE_PATH, removal)).toBe(503);
    expect((await signIn(alice.email)).status).toBe(403);
    const page = await (await resetting.get('/account/reset/code')).text();
    const fields = { code, password: 'wet grass at noon' };
    expect((await resetting.submit(page, '/account/reset/code', fields)).status).toBe(400);
    await eventually(async () => expect(await findRecipients('was removed')).toEqual([alice.phone, alice.email]));
  });

  it('given that users-service refuses, when an address is removed, then it still signs in and no message is sent', async () => {
    replyToRemoval = () => Promise.reject(new SettleError('not_permitted', 'This is your only e-mail address.'));
    expect(await submitForm(REMOVE_PATH, removal)).toBe(403);
    expect((await signIn(alice.email)).status).toBe(303);
    expect(await findRecipients('was removed')).toEqual([]);
  });

  it.each([bob.email, 'unknown@example.com'])(
    'given %s, which is not in the account, when it is removed, then the page says so and no message is sent',
    async (address) => {
      const removals: object[] = [];
      replyToRemoval = () => Promise.resolve(removals.push({}) && {});
      expect(await submitForm(REMOVE_PATH, { ...removal, address })).toBe(400);
      expect([removals, await findRecipients('was removed')]).toEqual([[], []]);
      expect((await signIn(bob.email)).status).toBe(303);
    },
  );

  it('given a removal with a lost reply, when it is repeated, then it is completed and the addresses are notified once', async () => {
    const { browser } = await signIn(alice.username);
    replyToRemoval = () => Promise.reject(new SettleError('outcome_unknown', 'Lost.'));
    expect(await submitForm(REMOVE_PATH, removal, browser)).toBe(503);
    replyToRemoval = () => Promise.resolve({});
    expect(await submitForm(REMOVE_PATH, removal, browser)).toBe(303);
    await eventually(async () => expect(await findRecipients('was removed')).toEqual([alice.phone, alice.email]));
  });

  it('given the address of another user, when its code is submitted, then both users are notified at all their addresses', async () => {
    const { browser } = await signIn(alice.username);
    const fields = { address: bob.email, current_password: DEMO_PASSWORD };
    expect(await submitForm('/account/addresses/email', fields, browser)).toBe(303);
    const page = await (await browser.get('/account/addresses/email/code')).text();
    const code = await readCodeFor(bob.email);
    expect((await browser.submit(page, '/account/addresses/email/code', { code })).status).toBe(303);
    await eventually(async () => {
      expect(await findRecipients(`${bob.email} was added`)).toEqual([alice.phone, alice.email].sort());
      expect(await findRecipients(`${bob.email} no longer belongs`)).toEqual([bob.phone, bob.email].sort());
    });
  });
});
