import { eventually } from '@settle/testing';
import { call } from './client.js';
import { pageUrl, signUp, type SignedUpUser } from './sign-up.js';
import { loadDemoUser } from './users.js';
import { newBrowser } from './sign-in.js';

interface WireProfile {
  readonly is_friend: boolean | null;
  readonly friends_count: number;
}

const openFriends = ({ browser }: SignedUpUser) => browser.open(pageUrl('/account/friends'));
const sendRequest = async (who: SignedUpUser, username: string) =>
  who.browser.submit(await openFriends(who), { username }, 'Send request');
/** Presses a button on the page of friends, which lists one user. */
const press = async (who: SignedUpUser, label: string) => who.browser.submit(await openFriends(who), {}, label);
const seenBy = async (who: SignedUpUser, other: SignedUpUser) =>
  (await call<WireProfile>(`/users/${other.id}`, { token: who.token })).body.data;

describe('friends', () => {
  let dora: SignedUpUser;
  let emil: SignedUpUser;
  beforeAll(async () => {
    dora = await signUp();
    emil = await signUp();
    const alice = await loadDemoUser('alice');
    for (const { id } of [dora, emil]) {
      await eventually(async () => expect((await alice.send({ user_id: id }, '0.20')).status).toBe(200));
    }
  });

  it('given two users, when one sends a request and the other accepts, then each sees the other as a friend', async () => {
    expect((await sendRequest(dora, `@${emil.username.toUpperCase()}`)).html).toContain('Friend request sent.');
    expect((await seenBy(dora, emil)).is_friend).toBe(false);
    expect((await press(emil, 'Accept')).html).toContain('Saved.');
    for (const [who, other] of [
      [dora, emil],
      [emil, dora],
    ] as const) {
      expect(await seenBy(who, other)).toMatchObject({ is_friend: true, friends_count: 1 });
    }
    expect((await openFriends(dora)).html).not.toContain('Sent requests');
  });

  // Shows create-23
  it('given a trusted friend, when the friend charges, then it settles; after trust is withdrawn, it is pending', async () => {
    await press(emil, 'Trust');
    await eventually(async () => {
      expect((await dora.send({ user_id: emil.id }, '-0.01')).body.data.payment.status).toBe('settled');
    });
    expect((await press(emil, 'Stop trusting')).url.search).toBe('?done=saved');
    expect((await dora.send({ user_id: emil.id }, '-0.01')).body.data.payment.status).toBe('pending');
  });

  it('given an amount entered with trust, when it is invalid, then its field says so; if it is valid, it is shown beside the friend until trust ends', async () => {
    const trustUpTo = async (amount: string, button: string) =>
      emil.browser.submit(await openFriends(emil), { amount_per_day: amount }, button);
    const refused = await trustUpTo('a lot', 'Trust');
    expect([refused.status, refused.html.includes('such as 20 or 12.50')]).toEqual([400, true]);
    expect(refused.html).toMatch(/value="a lot" aria-invalid="true"/);
    expect(refused.html).not.toContain('Stop trusting');
    expect((await trustUpTo('20', 'Trust')).html).toContain('trusted up to $20.00 a day');
    expect((await trustUpTo('', 'Save')).html).toContain('>trusted<');
    await trustUpTo('7.5', 'Save');
    await press(emil, 'Stop trusting');
    expect((await openFriends(emil)).html).not.toContain('7.50');
  });

  // Shows user-14, create-24, create-26, act-15
  it('given a friend, when the friend is blocked, then the friendship ends and no money moves until the friend is unblocked', async () => {
    const createCharge = async () => (await dora.send({ user_id: emil.id }, '-0.01')).body.data.payment.id;
    const [one, other] = [await createCharge(), await createCharge()];
    expect((await press(emil, 'Block')).url.search).toBe('?done=saved');
    const refused = await dora.send({ user_id: emil.id }, '0.01');
    expect([refused.status, refused.body.error.code]).toEqual([403, 'not_permitted']);
    expect(await seenBy(emil, dora)).toMatchObject({ is_friend: false, friends_count: 0 });
    const unknown = await call('/users/1852942301724180999', { token: dora.token });
    for (const path of [`/users/${emil.id}`, `/users/${emil.id}/friends`]) {
      const hidden = await call(path, { token: dora.token });
      expect([hidden.status, hidden.body]).toEqual([404, unknown.body]);
    }
    const between = await dora.read(one);
    expect([between.status, between.body.data.target.user?.id]).toEqual([200, emil.id]);
    expect((await dora.list()).body.data.map(({ id }) => id)).toEqual(expect.arrayContaining([one, other]));
    const approved = await emil.act(one, 'approve');
    expect([approved.status, approved.body.error.code]).toEqual([403, 'not_permitted']);
    const ended = [await emil.act(one, 'deny'), await dora.act(other, 'cancel')];
    expect(ended.map(({ body }) => body.data.status)).toEqual(['cancelled', 'cancelled']);
    const page = await sendRequest(dora, emil.username);
    expect([page.status, page.html.includes('has blocked')]).toEqual([403, true]);
    await press(emil, 'Unblock');
    await eventually(async () => expect((await dora.send({ user_id: emil.id }, '0.01')).status).toBe(200));
    expect((await seenBy(dora, emil)).is_friend).toBe(false);
  });

  it('given two users, when both request each other at once, then they are friends, and either can end it', async () => {
    await Promise.all([sendRequest(dora, emil.username), sendRequest(emil, dora.username)]);
    expect((await seenBy(dora, emil)).is_friend).toBe(true);
    expect((await press(dora, 'Remove')).url.search).toBe('?done=saved');
    expect((await seenBy(emil, dora)).is_friend).toBe(false);
    await sendRequest(dora, emil.username);
    await press(dora, 'Cancel request');
    expect((await openFriends(emil)).html).not.toContain('Friend requests');
  });

  it.each([
    ['unknown.user', 404, 'No user has this username'],
    ['', 400, 'Enter a username'],
  ])(
    'given the username %j, when a friend request is sent to it, then the page names the problem',
    async (username, status, words) => {
      const page = await sendRequest(dora, username);
      expect([page.status, page.html.includes(words)]).toEqual([status, true]);
    },
  );

  it('given an unknown action, an unknown user or no form token, when the form is sent, then it is rejected', async () => {
    const { fields } = (await openFriends(dora)).forms.find(({ action }) => action === '/account/friends') ?? {
      fields: {},
    };
    const send = (who: string, body: Record<string, string>) =>
      dora.browser.send(pageUrl(`/account/friends/${who}`), 'POST', new URLSearchParams({ ...fields, ...body }));
    expect((await send(emil.id, { action: 'adore' })).status).toBe(400);
    expect((await send('7', { action: 'block' })).status).toBe(404);
    expect((await send('1852942301724180999', { action: 'block' })).status).toBe(404);
    expect((await send(dora.id, { action: 'block' })).status).toBe(400);
    expect((await send(emil.id, { action: 'block', form_token: 'x'.repeat(43) })).status).toBe(403);
    expect((await newBrowser().open(pageUrl('/account/friends'))).url.pathname).toBe('/account/sign-in');
  });
});
