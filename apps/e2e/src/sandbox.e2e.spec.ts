import { eventually } from '@settle/testing';
import { call, refusalOf, sandboxUrl, type Fields } from './client.js';
import { befriend, signUp, verifyEmail } from './sign-up.js';
import { type TestUser, loadDemoUser, buildTestUser, unknownEmail } from './users.js';
import { loadToken } from './sign-in.js';
import { cents, DATETIME, KEYS, keysOf, sorted, type WireCreated, type WireUser, type WirePayment } from './wire.js';

const TEST_USER = { id: '145434160922624933', email: 'venmo@venmo.com', phone: '15555555555' };
const NAMES: readonly (readonly [string, Fields])[] = [
  ['id', { user_id: TEST_USER.id }],
  ['e-mail', { email: TEST_USER.email }],
  ['phone', { phone: TEST_USER.phone }],
];
const TABLE = [
  // Shows sandbox-3
  ['pay', '0.10', 'settled', 9.9],
  // Shows sandbox-4
  ['pay', '0.20', 'failed', 10],
  // Shows sandbox-5
  ['pay', '0.30', 'pending', 9.7],
  // Shows sandbox-6
  ['charge', '-0.10', 'settled', 10.1],
  // Shows sandbox-7
  ['charge', '-0.20', 'pending', 10],
] as const;
const ROWS = TABLE.flatMap((row) => NAMES.map(([by, target]) => [...row, by, target] as const));

describe('the sandbox', () => {
  let alice: TestUser;
  let bob: TestUser;
  let realAlice: TestUser;
  let realBob: TestUser;
  let before: readonly number[];
  const realBalances = async () => [await realAlice.balanceCents(), await realBob.balanceCents()];

  beforeAll(async () => {
    [realAlice, realBob] = await Promise.all([loadDemoUser('alice'), loadDemoUser('bob')]);
    [alice, bob] = await Promise.all([loadDemoUser('alice', sandboxUrl()), loadDemoUser('bob', sandboxUrl())]);
    before = await realBalances();
  });
  afterAll(async () => {
    expect(await realBalances()).toEqual(before);
  });

  // Shows sandbox-2, sandbox-8
  describe.each(['form', 'json'] as const)('given its test user, and a body of %s', (encoding) => {
    // Shows sandbox-8, sandbox-9
    it.each(ROWS)('when a %s of %s is made, then it is %s and the balance %s, by %s', async (...row) => {
      const [action, amount, status, balance, by, target] = row;
      const held = await alice.balanceCents();
      const body = { ...target, amount, note: 'try', audience: 'public' };
      const made = await call<WireCreated>(`${sandboxUrl()}/payments`, {
        method: 'POST',
        token: alice.token,
        [encoding]: body,
      });
      expect(made.status).toBe(200);
      expect(keysOf(made.body.data)).toEqual(sorted(KEYS.created));
      const { payment } = made.body.data;
      expect(made.body.data.balance).toBe(balance);
      expect(keysOf(payment)).toEqual(sorted(KEYS.payment));
      expect(payment).toMatchObject({ status, action, amount: Number(amount), note: 'try', fee: null, refund: null });
      expect(payment.actor.id).toBe(alice.id);
      if (status === 'pending') expect(payment.date_completed).toBeNull();
      else expect(payment.date_completed).toMatch(DATETIME);
      const isUnregistered = action === 'pay' && status === 'pending';
      if (isUnregistered) {
        expect(payment.target).toEqual({
          type: by === 'phone' ? 'phone' : 'email',
          email: by === 'phone' ? null : TEST_USER.email,
          phone: by === 'phone' ? `+${TEST_USER.phone}` : null,
          user: null,
        });
      } else {
        const type = by === 'id' ? 'user' : by === 'phone' ? 'phone' : 'email';
        expect(payment.target).toMatchObject({ type, email: null, phone: null, user: { id: TEST_USER.id } });
      }
      expect((await alice.read(payment.id)).body.data).toEqual(payment);
      expect((await alice.list({ limit: 1 })).body.data[0]?.id).toBe(payment.id);
      expect(await alice.balanceCents()).toBe(held);
      expect((await realAlice.read(payment.id)).status).toBe(404);
    });
  });

  // Shows sandbox-11
  it.each(['0.40', '0.01', '10', '-0.30', '-1'])(
    'given its test user, when it gets %s, then the amount is unknown',
    async (amount) => {
      for (const [, target] of NAMES)
        expect(refusalOf(await alice.send(target, amount))).toEqual([400, 'sandbox_amount_unknown']);
    },
  );

  // Shows sandbox-13, sandbox-19
  it('given pending payments with its test user, when they are cancelled, then no wallet moves', async () => {
    const held = await alice.balanceCents();
    for (const amount of ['0.30', '-0.20']) {
      const { id } = (await alice.send({ user_id: TEST_USER.id }, amount)).body.data.payment;
      expect(refusalOf(await alice.act(id, 'approve'))).toEqual([403, 'not_permitted']);
      expect((await bob.act(id, 'cancel')).status).toBe(404);
      const cancelled = await alice.act(id, 'cancel');
      expect([cancelled.status, cancelled.body.data.status]).toEqual([200, 'cancelled']);
      expect((await alice.read(id)).body.data).toMatchObject({ status: 'cancelled', refund: null });
      expect(await alice.balanceCents()).toBe(held);
    }
  });

  // Shows sandbox-14, sandbox-17, sandbox-18, sandbox-19
  it('given friends, when they pay and charge, then sandbox money moves as real money does', async () => {
    const start = [await alice.balanceCents(), await bob.balanceCents()] as const;
    const paid = await bob.send({ user_id: alice.id }, '0.02');
    expect([paid.body.data.payment.status, cents(paid.body.data.balance)]).toEqual(['settled', start[1] - 2]);
    // Bob trusts Alice.
    expect((await alice.send({ email: bob.email }, '-0.01')).body.data.payment.status).toBe('settled');
    const charge = (await bob.send({ user_id: alice.id }, '-0.03')).body.data.payment;
    expect((await alice.act(charge.id, 'approve')).body.data.status).toBe('settled');
    const denied = (await bob.send({ user_id: alice.id }, '-0.03')).body.data.payment;
    expect((await alice.act(denied.id, 'deny')).body.data.status).toBe('cancelled');
    expect([await alice.balanceCents(), await bob.balanceCents()]).toEqual([start[0], start[1]]);
    // Alice's funding source exists in production alone.
    expect((await alice.send({ user_id: bob.id }, '500')).body.data.payment.status).toBe('failed');
    const held = (await alice.send({ email: unknownEmail() }, '0.05')).body.data.payment;
    expect(await alice.balanceCents()).toBe(start[0] - 5);
    await alice.act(held.id, 'cancel');
    expect((await alice.read(held.id)).body.data.refund?.status).toBe('settled');
    expect(await alice.balanceCents()).toBe(start[0]);
  });

  // Shows sandbox-22, sandbox-24
  it('given a payment of one environment, when it is requested in the other, then it is not found', async () => {
    const sandboxed = (await alice.send({ user_id: bob.id }, '-0.01')).body.data.payment.id;
    const real = (await realAlice.send({ user_id: TEST_USER.id }, '0.10')).body.error.code;
    expect(real).toBe('resource_not_found');
    const charge = (await realBob.send({ user_id: realAlice.id }, '-0.01')).body.data.payment.id;
    expect([(await realAlice.read(sandboxed)).status, (await alice.read(charge)).status]).toEqual([404, 404]);
    const held = await Promise.all([alice.balanceCents(), bob.balanceCents()]);
    await realBob.send({ user_id: realAlice.id }, '0.01');
    await realAlice.send({ user_id: realBob.id }, '0.01');
    expect(await Promise.all([alice.balanceCents(), bob.balanceCents()])).toEqual(held);
    expect(await realBalances()).toEqual(before);
    const acted = [await realBob.act(sandboxed, 'approve'), await alice.act(charge, 'approve')];
    expect(acted.map(({ status }) => status)).toEqual([404, 404]);
    expect((await realAlice.list()).body.data.map(({ id }) => id)).not.toContain(sandboxed);
    expect((await alice.list()).body.data.map(({ id }) => id)).not.toContain(charge);
    await realBob.act(charge, 'cancel');
  });

  // Shows sandbox-23
  it('given one Idempotency-Key in both environments, when requests use it, then each has its own response', async () => {
    const headers = { 'idempotency-key': `both-${process.hrtime.bigint()}` };
    const form = { email: unknownEmail(), note: 'n', amount: '-0.01' };
    const request = { method: 'POST', token: alice.token, headers, form };
    const sandboxed = await call<WireCreated>(`${sandboxUrl()}/payments`, request);
    const real = await call<WireCreated>('/payments', request);
    expect(real.body.data.payment.id).not.toBe(sandboxed.body.data.payment.id);
    const again = await call<WireCreated>(`${sandboxUrl()}/payments`, request);
    expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([sandboxed.text, 'true']);
  });

  // Shows sandbox-21
  it('given lists of more than a page, when the next link is followed, then it stays in the sandbox', async () => {
    await alice.send({ user_id: TEST_USER.id }, '0.10');
    await alice.send({ user_id: TEST_USER.id }, '0.10');
    const first = await alice.list({ limit: 1, status: 'settled' });
    const next = first.body.pagination.next ?? '';
    expect(next.startsWith(`${sandboxUrl()}/payments?`)).toBe(true);
    const second = await call<WirePayment[]>(next, { token: alice.token });
    expect(second.body.data).toHaveLength(1);
    expect(second.body.data[0]?.id).not.toBe(first.body.data[0]?.id);
  });

  // Shows sandbox-18
  it('given its test user, when the user is read, then it exists in the sandbox alone', async () => {
    const token = await loadToken('alice', ['access_profile', 'access_email', 'access_phone']);
    const user = await call<WireUser>(`${sandboxUrl()}/users/${TEST_USER.id}`, { token });
    expect([user.status, keysOf(user.body.data)]).toEqual([200, sorted(KEYS.user)]);
    expect(user.body.data).toMatchObject({
      id: TEST_USER.id,
      email: TEST_USER.email,
      phone: `+${TEST_USER.phone}`,
      is_friend: false,
      friends_count: 0,
    });
    const plain = await call<WireUser>(`${sandboxUrl()}/users/${TEST_USER.id}`, { token: alice.token });
    const party = (await alice.send({ user_id: TEST_USER.id }, '0.10')).body.data.payment.target.user;
    for (const key of KEYS.party) expect(plain.body.data).toHaveProperty(key, party?.[key as keyof typeof party]);
    const friends = await call<WireUser[]>(`${sandboxUrl()}/users/${TEST_USER.id}/friends`, { token });
    expect([friends.status, friends.body.data, friends.body.pagination]).toEqual([200, [], { next: null }]);
    expect((await call(`/users/${TEST_USER.id}`, { token })).status).toBe(404);
    const real = await call<WireUser>(`/users/${bob.id}`, { token });
    expect((await call(`${sandboxUrl()}/users/${bob.id}`, { token })).body).toEqual(real.body);
    const pages = [`/users/${alice.id}/friends`, `${sandboxUrl()}/users/${alice.id}/friends`];
    const [theirs, here] = await Promise.all(pages.map((page) => call<WireUser[]>(page, { token })));
    expect(here?.body.data).toEqual(theirs?.body.data);
  });

  // Shows sandbox-15
  it.each(['pay', 'charge'])(
    'given a user who is not a friend, when a %s names their phone, e-mail or id, then the response reveals nothing about them',
    async (action) => {
      const amount = action === 'pay' ? '0.01' : '-0.01';
      const carol = await loadDemoUser('carol', sandboxUrl());
      const byPhone = await alice.send({ phone: carol.phone }, amount);
      const byEmail = await alice.send({ email: carol.email }, amount);
      expect(byPhone.body.data.payment.target).toEqual({ type: 'phone', phone: carol.phone, email: null, user: null });
      expect(byEmail.body.data.payment.target).toEqual({ type: 'email', email: carol.email, phone: null, user: null });
      for (const { body } of [byPhone, byEmail]) {
        const { id } = body.data.payment;
        const { text } = await alice.read(id);
        expect(text).not.toContain(carol.id);
        expect((await carol.read(id)).status).toBe(404);
        expect((await carol.list()).body.data.map((payment) => payment.id)).not.toContain(id);
      }
      expect((await alice.list({ limit: 5 })).text).not.toContain(carol.id);
      const [known, unknown] = [carol.id, '1852942301724180999'].map((id) => alice.send({ user_id: id }, amount));
      expect([(await known)?.status, (await known)?.body]).toEqual([404, (await unknown)?.body]);
      for (const { body } of [byPhone, byEmail]) await alice.act(body.data.payment.id, 'cancel');
    },
  );

  // Shows sandbox-10, sandbox-16, sandbox-20
  it('given held pays, when a friend verifies the addresses, then one is claimed and the one to the test user is not', async () => {
    const email = unknownEmail();
    const [payer, owner] = [await signUp(), await signUp()];
    await befriend(payer, owner);
    const payerInSandbox = buildTestUser(payer, sandboxUrl());
    const mine = (await payerInSandbox.send({ email }, '0.04')).body.data.payment;
    const unclaimed = (await payerInSandbox.send({ email: TEST_USER.email }, '0.30')).body.data.payment;
    const inSandbox = buildTestUser(owner, sandboxUrl());
    expect(await inSandbox.balanceCents()).toBe(10_00);
    // The address of the test user comes first, so that the other payment is found after it.
    for (const address of [TEST_USER.email, email]) await verifyEmail(owner, address);
    await eventually(async () => expect((await payerInSandbox.read(mine.id)).body.data.status).toBe('settled'));
    expect([await inSandbox.balanceCents(), await owner.balanceCents()]).toEqual([10_04, 0]);
    expect((await payerInSandbox.read(unclaimed.id)).body.data).toEqual(unclaimed);
    expect((await inSandbox.read(unclaimed.id)).status).toBe(404);
  });

  // Shows sandbox-12
  it('given a token without make_payments, when it pays the test user, then its scope is too small', async () => {
    const token = await loadToken('alice', ['access_profile']);
    const form = { user_id: TEST_USER.id, note: 'n', amount: '0.10' };
    const refused = await call(`${sandboxUrl()}/payments`, { method: 'POST', token, form });
    expect(refusalOf(refused)).toEqual([403, 'insufficient_scope']);
  });
});
