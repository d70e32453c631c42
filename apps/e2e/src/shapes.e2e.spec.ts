import { DEMO_USERS, type Scope } from '@settle/contracts';
import { call } from './client.js';
import { type TestUser, loadDemoUser, unknownEmail } from './users.js';
import { loadToken } from './sign-in.js';
import {
  DATETIME,
  ID,
  KEYS,
  keysOf,
  sorted,
  type WireMe,
  type WireParty,
  type WirePayment,
  type WireUser,
} from './wire.js';

/** Returns the text of every JSON number after the key `name`. */
const written = (text: string, name: string) =>
  [...text.matchAll(new RegExp(`"${name}":(-?[0-9.eE+-]+)`, 'g'))].map(([, number]) => number ?? '');
const DECIMAL = /^-?(0|[1-9]\d*)(\.\d{1,2})?$/;

describe('the shape of every response', () => {
  let alice: TestUser;
  let bob: TestUser;

  beforeAll(async () => {
    [alice, bob] = await Promise.all([loadDemoUser('alice'), loadDemoUser('bob')]);
  });

  const expectParty = (party: WireParty | null, keys: readonly string[] = KEYS.party) => {
    expect(party).not.toBeNull();
    if (party === null) return;
    expect(keysOf(party)).toEqual(sorted(keys));
    expect(party.id).toMatch(ID);
    expect(new URL(party.profile_picture_url).protocol).toMatch(/^https?:$/);
    for (const text of [party.username, party.first_name, party.last_name, party.display_name, party.about]) {
      expect(typeof text).toBe('string');
    }
  };

  const expectPayment = (payment: WirePayment, keys: readonly string[]) => {
    expect(keysOf(payment)).toEqual(sorted(keys));
    expect(keysOf(payment.target)).toEqual(sorted(KEYS.target));
    expect(payment.id).toMatch(ID);
    expect(payment.date_created).toMatch(DATETIME);
    expect(['settled', 'pending', 'failed', 'expired', 'cancelled']).toContain(payment.status);
    expect(['public', 'friends', 'private']).toContain(payment.audience);
    expect(payment.action).toBe(payment.amount > 0 ? 'pay' : 'charge');
    expect(payment.date_completed === null).toBe(payment.status === 'pending');
    expectParty(payment.actor);
    if (payment.target.user !== null) expectParty(payment.target.user);
  };

  // Shows endpoint-7, endpoint-9, user-1, user-3, user-4, user-5, user-17, user-21, user-22
  it('given a token, when GET /me is called, then it returns the balance and all fields of the user', async () => {
    const { status, body, text } = await call<WireMe>('/me', { token: alice.token });
    expect(status).toBe(200);
    expect(keysOf(body)).toEqual(['data']);
    expect(keysOf(body.data)).toEqual(sorted(KEYS.me));
    expect(keysOf(body.data.user)).toEqual(sorted(KEYS.user));
    expect(written(text, 'balance').every((number) => DECIMAL.test(number))).toBe(true);
    expect(body.data.user).toMatchObject({
      id: alice.id,
      username: 'alice',
      first_name: 'Alice',
      last_name: 'Archer',
      display_name: 'Alice Archer',
      email: alice.email,
      phone: alice.phone,
      is_friend: null,
      friends_count: 1,
    });
    expect(body.data.user.date_joined).toMatch(DATETIME);
  });

  // Shows endpoint-5, endpoint-11, user-1, user-11, demo-5
  it.each([
    // Shows user-16, user-18
    { who: 'bob', isFriend: true, friends: 1 },
    // Shows user-16, user-18
    { who: 'carol', isFriend: false, friends: 0 },
    // Shows user-17
    { who: 'alice', isFriend: null, friends: 1 },
  ] as const)(
    'given a token, when GET /users/:user_id of $who is called, then it returns all fields and is_friend $isFriend',
    async (row) => {
      const { status, body } = await call<WireUser>(`/users/${DEMO_USERS[row.who].id}`, { token: alice.token });
      expect([status, keysOf(body)]).toEqual([200, ['data']]);
      expect(keysOf(body.data)).toEqual(sorted(KEYS.user));
      const { email, phone, about } = DEMO_USERS[row.who];
      expect(body.data).toMatchObject({ email, phone, about, is_friend: row.isFriend, friends_count: row.friends });
    },
  );

  // Shows endpoint-7, endpoint-14, user-2, user-3, user-6, user-8, user-19
  it('given friends, when GET /users/:user_id/friends is called, then it returns pagination and the seven fields', async () => {
    const { status, body } = await call<WireParty[]>(`/users/${alice.id}/friends`, { token: alice.token });
    expect([status, keysOf(body), keysOf(body.pagination)]).toEqual([200, ['data', 'pagination'], ['next']]);
    expect(body.pagination.next).toBeNull();
    expect(body.data.map(({ id }) => id)).toEqual([bob.id]);
    expectParty(body.data[0] ?? null, KEYS.friend);
  });

  // Shows endpoint-3, endpoint-4, endpoint-5, endpoint-6, endpoint-7, endpoint-8, endpoint-23, endpoint-26
  // Shows endpoint-39, endpoint-43, user-20, payment-1, payment-2, payment-3, payment-6, payment-7, payment-8
  // Shows payment-12, payment-13, payment-15, payment-16, payment-18, payment-21, payment-31
  it('given a payment of each kind, when it is created, read, listed and ended, then exactly its fields are returned', async () => {
    const made = [
      await bob.send({ user_id: alice.id }, '0.05'),
      await bob.send({ email: unknownEmail() }, '0.05'),
      await bob.send({ user_id: alice.id }, '-0.05'),
    ];
    for (const { body, text } of made) {
      expect([keysOf(body), keysOf(body.data)]).toEqual([['data'], sorted(KEYS.created)]);
      expectPayment(body.data.payment, KEYS.payment);
      expect([body.data.payment.medium, body.data.payment.fee, body.data.payment.refund]).toEqual(['api', null, null]);
      expect([...written(text, 'balance'), ...written(text, 'amount')].every((it) => DECIMAL.test(it))).toBe(true);
      const one = await bob.read(body.data.payment.id);
      expect([one.status, keysOf(one.body)]).toEqual([200, ['data']]);
      expect(one.body.data).toEqual(body.data.payment);
    }
    const list = await bob.list({ limit: made.length });
    expect([list.status, keysOf(list.body), keysOf(list.body.pagination)]).toEqual([
      200,
      ['data', 'pagination'],
      ['next'],
    ]);
    for (const payment of list.body.data) expectPayment(payment, KEYS.listedPayment);
    const cancelled = await bob.act(made[2]?.body.data.payment.id ?? '', 'cancel');
    expect([cancelled.status, keysOf(cancelled.body)]).toEqual([200, ['data']]);
    expectPayment(cancelled.body.data, KEYS.listedPayment);
  });

  // Shows payment-8
  it.each([
    { sent: '0.1', shown: 0.1 },
    { sent: '0.100000', shown: 0.1 },
    { sent: '-0.1', shown: -0.1 },
    { sent: '1', shown: 1 },
  ])(
    'given the amount $sent, when the payment is read, then it is $shown, negative for a charge',
    async ({ sent, shown }) => {
      const { body } = await alice.send({ user_id: DEMO_USERS.carol.id }, sent);
      expect(body.data.payment.amount).toBe(shown);
      expect((await alice.read(body.data.payment.id)).body.data.amount).toBe(shown);
    },
  );

  it.each([
    { what: 'blanks around it', note: '  spaces around  ', shown: 'spaces around' },
    { what: 'two lines', note: 'two\r\nlines', shown: 'two\nlines' },
    { what: '280 characters of three bytes', note: '☕'.repeat(280), shown: '☕'.repeat(280) },
    { what: 'markup and quotes', note: '<b>&"quoted"', shown: '<b>&"quoted"' },
  ])(
    'given a note with $what, when it is sent, then it is returned trimmed and otherwise unchanged',
    async ({ note, shown }) => {
      const { body } = await alice.send({ user_id: bob.id }, '0.01', { note });
      expect((await bob.read(body.data.payment.id)).body.data.note).toBe(shown);
    },
  );

  // Shows parameter-37, parameter-41, payment-11
  it('given no audience, when a payment is made, then it is private; given one, then it has that', async () => {
    const seen: string[] = [];
    for (const audience of [undefined, 'public', 'friends', 'private']) {
      seen.push((await alice.send({ user_id: bob.id }, '0.01', { audience })).body.data.payment.audience);
    }
    expect(seen).toEqual(['private', 'public', 'friends', 'private']);
  });

  // Shows endpoint-2, limit-1, limit-2
  it('given any response, when its headers are read, then it has a request id and may not be stored', async () => {
    for (const { headers } of [await call('/me', { token: alice.token }), await call('/me'), await call('/nowhere')]) {
      expect(headers.get('x-request-id')).toMatch(/\S{8,}/);
      expect(headers.get('cache-control')).toContain('no-store');
      expect(headers.get('content-type')).toMatch(/^application\/json/);
    }
    expect((await call('/me')).headers.get('www-authenticate')).toMatch(/^Bearer/);
  });

  const scopes: readonly { scopes: readonly Scope[]; sees: readonly string[] }[] = [
    { scopes: ['access_profile'], sees: [] },
    // Shows user-9, scope-6
    { scopes: ['access_profile', 'access_email'], sees: ['email'] },
    // Shows user-10, scope-7
    { scopes: ['access_profile', 'access_phone'], sees: ['phone'] },
    // Shows user-23, scope-8
    { scopes: ['access_profile', 'access_balance'], sees: ['balance'] },
  ];

  it.each(scopes)(
    'given the scopes $scopes, when the user is read, then of email, phone and balance only $sees is not null',
    async (row) => {
      const token = await loadToken('alice', row.scopes);
      const me = (await call<WireMe>('/me', { token })).body.data;
      const other = (await call<WireUser>(`/users/${bob.id}`, { token })).body.data;
      expect(me.balance !== null).toBe(row.sees.includes('balance'));
      for (const user of [me.user, other]) {
        expect(keysOf(user)).toEqual(sorted(KEYS.user));
        expect([user.email !== null, user.phone !== null]).toEqual([
          row.sees.includes('email'),
          row.sees.includes('phone'),
        ]);
      }
    },
  );

  // Shows endpoint-25
  it('given make_payments alone, when POST /payments is called, then it returns the balance', async () => {
    const token = await loadToken('alice', ['make_payments']);
    const form = { user_id: bob.id, note: 'x', amount: '0.01' };
    const { body } = await call<{ balance: unknown }>('/payments', { method: 'POST', token, form });
    expect(typeof body.data.balance).toBe('number');
  });
});
