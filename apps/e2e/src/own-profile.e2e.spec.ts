import { eventually } from '@settle/testing';
import { call } from './client.js';
import { type SignedUpUser, pageUrl, signUp } from './sign-up.js';
import { type TestUser, loadDemoUser, unknownEmail } from './users.js';
import type { WireUser } from './wire.js';

describe('the profile of a user', () => {
  let alice: TestUser;
  let owner: SignedUpUser;

  beforeAll(async () => {
    [alice, owner] = await Promise.all([loadDemoUser('alice'), signUp()]);
  });

  let typed = { first_name: 'Nora', last_name: 'Newman', about: '', default_audience: 'private' };
  const save = async (change: Partial<typeof typed>) => {
    typed = { ...typed, ...change };
    const page = await owner.browser.open(pageUrl('/account'));
    const saved = await owner.browser.submit(page, typed, 'Save');
    expect({ search: saved.url.search, html: saved.html }).toEqual({ search: '?done=saved', html: saved.html });
  };

  // Shows user-4, payment-17
  it('given a payment, when one party changes their name, then the payment shows the new name, alone and in lists', async () => {
    const { id } = (await alice.send({ user_id: owner.id }, '0.01')).body.data.payment;
    await save({ first_name: 'Zoe', last_name: 'Zimmer' });
    await eventually(async () => {
      const read = (await alice.read(id)).body.data.target.user;
      const listed = (await owner.list({ limit: 1 })).body.data[0];
      const names = [read?.first_name, read?.last_name, read?.display_name];
      expect(names).toEqual(['Zoe', 'Zimmer', 'Zoe Zimmer']);
      expect([listed?.id, listed?.target.user?.display_name]).toEqual([id, 'Zoe Zimmer']);
    });
  });

  // Shows user-8
  it('given an empty profile text, when the user writes one, then `about` is no longer empty', async () => {
    const read = async () => (await call<WireUser>(`/users/${owner.id}`, { token: alice.token })).body.data.about;
    expect(await read()).toBe('');
    await save({ about: 'Bakes on Sundays.' });
    await eventually(async () => expect(await read()).toBe('Bakes on Sundays.'));
  });

  // Shows create-27
  it('given another default audience, when a payment names none, then it has the default; when it names one, it has that', async () => {
    const audienceOf = async (more: Record<string, string> = {}) =>
      (await owner.send({ email: unknownEmail() }, '-0.01', more)).body.data.payment.audience;
    expect(await audienceOf()).toBe('private');
    await save({ default_audience: 'friends' });
    await eventually(async () => expect(await audienceOf()).toBe('friends'));
    expect(await audienceOf({ audience: 'public' })).toBe('public');
  });
});
