import { randomUUID } from 'node:crypto';
import { type ApiResponse, type CallOptions, call } from './client.js';
import { payDownTo, type TestUser, loadDemoUser } from './users.js';
import { cents, type WireCreated, type WirePayment } from './wire.js';

const TWINS = 50;

describe('requests with an Idempotency-Key', () => {
  let alice: TestUser;
  let bob: TestUser;
  let carol: TestUser;

  beforeAll(async () => {
    [alice, bob, carol] = await Promise.all([loadDemoUser('alice'), loadDemoUser('bob'), loadDemoUser('carol')]);
  });

  /** Returns functions that send requests under one key. */
  const keyed = (who: TestUser, key: string = randomUUID()) => ({
    post: (body: CallOptions): Promise<ApiResponse<WireCreated>> =>
      call('/payments', { method: 'POST', token: who.token, headers: { 'idempotency-key': key }, ...body }),
    put: (id: string, body: CallOptions): Promise<ApiResponse<WirePayment>> =>
      call(`/payments/${id}`, { method: 'PUT', token: who.token, headers: { 'idempotency-key': key }, ...body }),
  });
  const replayed = ({ headers }: ApiResponse<unknown>) => headers.get('idempotent-replayed');

  // Shows key-6, key-7, key-17
  it('given a completed payment, when it is sent again in another encoding, then the first response is returned and no payment is made', async () => {
    const { post } = keyed(bob);
    const before = await bob.balanceCents();
    const first = await post({ form: { user_id: alice.id, note: 'once', amount: '0.1' } });
    expect([first.status, first.body.data.payment.status, replayed(first)]).toEqual([200, 'settled', null]);
    const writings: CallOptions[] = [
      { form: { amount: '0.10', note: ' once', user_id: alice.id } },
      { json: { note: 'once', amount: 0.1, user_id: alice.id, audience: null } },
      { query: { amount: '0.100', note: 'once' }, form: { user_id: alice.id } },
    ];
    for (const writing of writings) {
      const again = await post(writing);
      expect([again.status, again.text, replayed(again)]).toEqual([200, first.text, 'true']);
    }
    expect(await bob.balanceCents()).toBe(before - 10);
  });

  // Shows key-8, key-9
  it.each([
    ['form', (fields: Record<string, string>): CallOptions => ({ form: fields })],
    ['JSON', (fields: Record<string, string>): CallOptions => ({ json: fields })],
  ])(
    'given a key, when another request uses it as %s, then it is rejected with 422 and nothing is made',
    async (_, written) => {
      const { post, put } = keyed(bob);
      const first = await post(written({ user_id: alice.id, note: 'once', amount: '0.01' }));
      const before = await bob.balanceCents();
      const others = [
        post(written({ user_id: alice.id, note: 'once', amount: '0.02' })),
        post(written({ user_id: alice.id, note: 'twice', amount: '0.01' })),
        post(written({ user_id: carol.id, note: 'once', amount: '0.01' })),
        post(written({ user_id: alice.id, note: 'once', amount: '-0.01' })),
        post(written({ user_id: alice.id, note: 'once', amount: '0.01', audience: 'public' })),
        // The key is compared before the user is looked up.
        post(written({ user_id: '1234567890123456789', note: 'once', amount: '0.01' })),
        put(first.body.data.payment.id, written({ action: 'cancel' })),
      ];
      for (const { status, body } of await Promise.all(others)) {
        expect([status, body.error.code]).toEqual([422, 'idempotency_key_reused']);
      }
      expect(await bob.balanceCents()).toBe(before);
    },
  );

  // Shows key-1, key-14
  it('given a rejected request, when its key is used again, then nothing of the first request is kept', async () => {
    const { post } = keyed(bob);
    const good = { user_id: alice.id, note: 'once', amount: '0.01' };
    const refusals: [CallOptions, number][] = [
      [{ form: { ...good, amount: '0' } }, 400],
      [{ form: { ...good, user_id: bob.id } }, 400],
      [{ form: { ...good, user_id: '1234567890123456789' } }, 404],
      [{ form: good, token: 'unknown' }, 401],
    ];
    for (const [request, expected] of refusals) expect((await post(request)).status).toBe(expected);
    const done = await post({ form: good });
    expect([done.status, replayed(done)]).toEqual([200, null]);
  });

  // Shows key-12
  it('given a key, when another user uses the same key, then it is a different key', async () => {
    const key = randomUUID();
    const first = await keyed(bob, key).post({ form: { user_id: carol.id, note: 'mine', amount: '0.01' } });
    const other = await keyed(alice, key).post({ form: { user_id: carol.id, note: 'mine', amount: '0.01' } });
    expect([first.status, other.status, replayed(other)]).toEqual([200, 200, null]);
    expect(other.body.data.payment.id).not.toBe(first.body.data.payment.id);
  });

  it.each([
    ['', 400],
    // Shows key-4
    ['with blank', 400],
    // Shows key-4
    ['k'.repeat(256), 400],
    // Shows key-3
    ['k'.repeat(255), 200],
    // Shows key-3
    ['!#~', 200],
  ])('given the key %j, when it is sent, then the status is %i', async (key, expected) => {
    const name = expected === 200 ? `${randomUUID()}${key}`.slice(-255) : key;
    const { status } = await keyed(bob, name).post({ form: { user_id: alice.id, note: 'key', amount: '0.01' } });
    expect(status).toBe(expected);
  });

  // Shows key-15
  it('given a pay that failed, when it is sent again after funds have arrived, then the failed payment is returned', async () => {
    await payDownTo(0, carol, { user_id: bob.id });
    const form = { user_id: bob.id, note: 'once', amount: '0.01' };
    const { post } = keyed(carol);
    const first = await post({ form });
    expect([first.status, first.body.data.payment.status]).toEqual([200, 'failed']);
    await bob.send({ user_id: carol.id }, '0.01');
    const again = await post({ form });
    expect([again.status, again.text, replayed(again)]).toEqual([200, first.text, 'true']);
    expect((await keyed(carol).post({ form })).body.data.payment.status).toBe('settled');
  });

  // Shows key-2
  it('given an approval, when it is sent again, then its first response is returned, and another action is rejected', async () => {
    const { body } = await carol.send({ user_id: bob.id }, '-0.03');
    const { id } = body.data.payment;
    const before = await bob.balanceCents();
    const { put } = keyed(bob);
    const first = await put(id, { form: { action: 'approve' } });
    expect([first.status, first.body.data.status, replayed(first)]).toEqual([200, 'settled', null]);
    const again = await put(id, { json: { action: 'approve' } });
    expect([again.status, again.text, replayed(again)]).toEqual([200, first.text, 'true']);
    const other = await put(id, { form: { action: 'deny' } });
    expect([other.status, other.body.error.code]).toEqual([422, 'idempotency_key_reused']);
    expect(await bob.balanceCents()).toBe(before - 3);
  });

  // Shows key-10, key-11, error-36
  it(`given one key, when ${TWINS} requests use it at once, then one payment is made and each response holds it or 409`, async () => {
    const { post } = keyed(alice);
    const before = await alice.balanceCents();
    const request = { form: { user_id: bob.id, note: 'twins', amount: '0.01' } };
    const responses = await Promise.all(Array.from({ length: TWINS }, () => post(request)));
    const done = responses.filter(({ status }) => status === 200);
    expect(done.length).toBeGreaterThan(0);
    expect(new Set(done.map(({ text }) => text)).size).toBe(1);
    for (const { body, headers } of responses.filter(({ status }) => status !== 200)) {
      expect([body.error.code, headers.get('retry-after')]).toEqual(['idempotency_in_progress', '1']);
    }
    expect(await alice.balanceCents()).toBe(before - 1);
    expect(cents(done[0]?.body.data.balance ?? 0)).toBe(before - 1);
  });
});
