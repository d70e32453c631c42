import { type TestUser, loadDemoUser, unknownEmail, unknownPhone } from './users.js';
import { cents, DATETIME, ID, KEYS, keysOf, sorted } from './wire.js';

describe('a pay to an unverified address', () => {
  let bob: TestUser;
  let alice: TestUser;

  beforeAll(async () => {
    [alice, bob] = await Promise.all([loadDemoUser('alice'), loadDemoUser('bob')]);
  });

  // Shows endpoint-30, payment-20, payment-23, create-15, act-5, act-28, act-31
  it.each([
    { kind: 'email', address: unknownEmail },
    { kind: 'phone', address: unknownPhone },
  ])(
    'given a $kind, when it is sent and cancelled, then the money leaves at once and comes back by a refund',
    async ({ kind, address }) => {
      const before = await bob.balanceCents();
      const to = address();
      const made = await bob.send({ [kind]: to }, '0.30', { note: 'held', audience: 'public' });
      expect(cents(made.body.data.balance)).toBe(before - 30);
      expect(await bob.balanceCents()).toBe(before - 30);
      expect(made.body.data.payment.target).toEqual({ type: kind, email: null, phone: null, user: null, [kind]: to });
      expect(made.body.data.payment.refund).toBeNull();

      const { id } = made.body.data.payment;
      const cancelled = await bob.act(id, 'cancel');
      expect([cancelled.status, cancelled.body.data.status]).toEqual([200, 'cancelled']);
      expect(await bob.balanceCents()).toBe(before);

      const original = (await bob.read(id)).body.data;
      const refund = original.refund;
      expect(refund).not.toBeNull();
      if (refund === null) return;
      expect(keysOf(refund)).toEqual(sorted(KEYS.payment));
      expect(refund.id).toMatch(ID);
      expect(refund).toMatchObject({
        status: 'settled',
        action: 'pay',
        amount: 0.3,
        note: 'held',
        medium: 'api',
        audience: 'private',
        fee: null,
        refund: null,
        target: { type: 'user', email: null, phone: null },
      });
      expect([refund.actor.id, refund.target.user?.id]).toEqual([bob.id, bob.id]);
      expect(refund.date_completed).toMatch(DATETIME);

      const read = await bob.read(refund.id);
      expect([read.status, read.body.data]).toEqual([200, refund]);
      expect((await alice.read(refund.id)).status).toBe(404);
      const listed = await bob.list({ limit: 10 });
      expect(listed.body.data.map((payment) => payment.id)).toContain(id);
      expect(listed.body.data.map((payment) => payment.id)).not.toContain(refund.id);

      const again = await bob.act(id, 'cancel');
      expect([again.status, again.body.data]).toEqual([200, cancelled.body.data]);
      expect(await bob.balanceCents()).toBe(before);
    },
  );

  // Shows act-33
  it('given a pay that the funding source paid, when it is cancelled, then the balance is as before', async () => {
    const before = await alice.balanceCents();
    const made = await alice.send({ email: unknownEmail() }, ((before + 100) / 100).toFixed(2));
    expect([made.body.data.payment.status, cents(made.body.data.balance)]).toEqual(['pending', before]);
    await alice.act(made.body.data.payment.id, 'cancel');
    expect(await alice.balanceCents()).toBe(before);
  });

  // Shows payment-22, payment-24
  it('given a user named by another spelling of their address, when a pay is sent, then it is a pay to that user', async () => {
    const byEmail = await alice.send({ email: ' BOB@Example.COM ' }, '0.01');
    expect(byEmail.body.data.payment.target).toMatchObject({ type: 'email', email: null, phone: null });
    expect(byEmail.body.data.payment.target.user?.id).toBe(bob.id);
    for (const phone of ['4155550102', '+1 (415) 555-0102', '1-415-555-0102']) {
      const byPhone = await alice.send({ phone }, '0.01');
      expect(byPhone.body.data.payment.target).toMatchObject({ type: 'phone', email: null, phone: null });
      expect([byPhone.body.data.payment.status, byPhone.body.data.payment.target.user?.id]).toEqual([
        'settled',
        bob.id,
      ]);
    }
  });
});
