import { refusalOf, type ApiResponse } from './client.js';
import { type TestUser, loadDemoUser, unknownEmail, unknownPhone } from './users.js';
import { cents, DATETIME, type WireCreated, type WirePayment } from './wire.js';

/** More than carol ever has; carol has no funding source. */
const BEYOND_CAROL = 2999.99;

describe('the states and transitions of a payment', () => {
  let alice: TestUser;
  let bob: TestUser;
  let carol: TestUser;

  beforeAll(async () => {
    [alice, bob, carol] = await Promise.all([loadDemoUser('alice'), loadDemoUser('bob'), loadDemoUser('carol')]);
  });

  interface Row {
    readonly trigger: string;
    readonly condition: string;
    readonly to: string;
    create(): Promise<ApiResponse<WireCreated>>;
    expected(payment: WirePayment): void;
  }

  const noUser = (payment: WirePayment) => {
    // Shows payment-15
    expect(payment.date_completed).toBeNull();
    expect(payment.target.user).toBeNull();
  };

  const creations: Row[] = [
    {
      trigger: 'a pay',
      // Shows create-1
      condition: 'the target is registered and funds are sufficient',
      to: 'settled',
      create: () => bob.send({ user_id: carol.id }, '0.01'),
      expected: (payment) => expect(payment.date_completed).toMatch(DATETIME),
    },
    {
      trigger: 'a pay',
      // Shows create-2, create-10
      condition: 'the e-mail address is not registered',
      to: 'pending',
      create: () => bob.send({ email: unknownEmail() }, '0.01'),
      expected: (payment) => {
        noUser(payment);
        // Shows payment-22
        expect(payment.target).toMatchObject({ type: 'email', phone: null });
      },
    },
    {
      trigger: 'a pay',
      // Shows create-3
      condition: 'the phone number is not registered',
      to: 'pending',
      create: () => bob.send({ phone: unknownPhone() }, '0.01'),
      expected: (payment) => {
        noUser(payment);
        // Shows payment-22
        expect(payment.target).toMatchObject({ type: 'phone', email: null });
      },
    },
    {
      trigger: 'a pay',
      // Shows create-4
      condition: 'the payer has no funding source and too little balance',
      to: 'failed',
      create: () => carol.send({ user_id: bob.id }, BEYOND_CAROL),
      expected: (payment) => expect(payment.date_completed).toMatch(DATETIME),
    },
    {
      trigger: 'a pay to an unregistered e-mail address',
      condition: 'the payer has no funding source and too little balance',
      to: 'failed',
      create: () => carol.send({ email: unknownEmail() }, BEYOND_CAROL),
      expected: (payment) => expect(payment.target.user).toBeNull(),
    },
    {
      trigger: 'a charge',
      // Shows create-6, create-8, demo-5
      condition: 'the target is a friend who trusts the actor',
      to: 'settled',
      create: () => alice.send({ user_id: bob.id }, '-0.01'),
      expected: (payment) => expect(payment.date_completed).toMatch(DATETIME),
    },
    {
      trigger: 'a charge',
      // Shows create-7, create-8
      condition: 'the target is a friend who does not trust the actor',
      to: 'pending',
      create: () => bob.send({ user_id: alice.id }, '-0.01'),
      expected: (payment) => expect(payment.date_completed).toBeNull(),
    },
    {
      trigger: 'a charge',
      // Shows create-7
      condition: 'the target is no friend',
      to: 'pending',
      create: () => alice.send({ user_id: carol.id }, '-0.01'),
      expected: (payment) => expect(payment.date_completed).toBeNull(),
    },
    {
      trigger: 'a charge',
      // Shows create-9
      condition: 'the trusting friend lacks the funds',
      to: 'pending',
      create: () => alice.send({ user_id: bob.id }, -BEYOND_CAROL),
      expected: (payment) => expect(payment.date_completed).toBeNull(),
    },
    {
      trigger: 'a charge',
      condition: 'the e-mail address is not registered',
      to: 'pending',
      create: () => alice.send({ email: unknownEmail() }, '-0.01'),
      expected: noUser,
    },
  ];

  // Shows payment-6
  it.each(creations)('given $condition, when $trigger is made, then it is $to', async ({ create, to, expected }) => {
    const { status, body, text } = await create();
    expect({ status, text }).toEqual({ status: 200, text });
    expect(body.data.payment.status).toBe(to);
    expected(body.data.payment);
    const reader = [alice, bob].find(({ id }) => id === body.data.payment.actor.id) ?? carol;
    const again = await reader.read(body.data.payment.id);
    expect(again.body.data).toEqual(body.data.payment);
  });

  // Shows create-11, create-13
  it('given a pay, when it settles, then the money has moved and the response holds the new balance', async () => {
    const before = [await bob.balanceCents(), await alice.balanceCents()] as const;
    const { body } = await bob.send({ user_id: alice.id }, '1.23');
    expect(cents(body.data.balance)).toBe(before[0] - 123);
    expect([await bob.balanceCents(), await alice.balanceCents()]).toEqual([before[0] - 123, before[1] + 123]);
  });

  // Shows create-5, demo-7
  it('given a pay, when it fails, then no balance has moved', async () => {
    const before = [await carol.balanceCents(), await bob.balanceCents()];
    const { body } = await carol.send({ user_id: bob.id }, BEYOND_CAROL);
    expect(cents(body.data.balance)).toBe(before[0]);
    expect([await carol.balanceCents(), await bob.balanceCents()]).toEqual(before);
  });

  // Shows create-14, demo-6
  it('given a pay above the balance and a funding source, when it is sent, then the source pays the whole amount', async () => {
    const before = await alice.balanceCents();
    const amount = (before + 1) / 100;
    const { body } = await alice.send({ user_id: bob.id }, amount.toFixed(2));
    expect(body.data.payment.status).toBe('settled');
    expect(cents(body.data.balance)).toBe(before);
  });

  // Shows create-12
  it('given a charge to a friend who trusts the actor, when it is sent, then the money moves from the friend to the actor', async () => {
    const before = [await alice.balanceCents(), await bob.balanceCents()] as const;
    const { body } = await alice.send({ user_id: bob.id }, '-0.50');
    expect(cents(body.data.balance)).toBe(before[0] + 50);
    expect(await bob.balanceCents()).toBe(before[1] - 50);
  });

  // Shows act-8
  it.each(['approve', 'deny'])('given a held pay, when its actor sends %s, then it is rejected', async (action) => {
    const { body } = await bob.send({ email: unknownEmail() }, '0.01');
    const { id } = body.data.payment;
    expect(refusalOf(await bob.act(id, action))).toEqual([403, 'not_permitted']);
    expect((await bob.act(id, 'cancel')).body.data.status).toBe('cancelled');
  });

  describe('given a pending charge', () => {
    const chargeOfBob = async (amount = '-0.25') => {
      const { body } = await carol.send({ user_id: bob.id }, amount);
      expect(body.data.payment.status).toBe('pending');
      return body.data.payment.id;
    };

    const endings = [
      // Shows act-1
      { action: 'approve', by: 'target', to: 'settled', movesCents: 25 },
      // Shows act-2
      { action: 'deny', by: 'target', to: 'cancelled', movesCents: 0 },
      // Shows act-3
      { action: 'cancel', by: 'actor', to: 'cancelled', movesCents: 0 },
    ] as const;

    // Shows act-9, act-10
    it.each(endings)(
      'when its $by sends $action, then it is $to and stays so',
      async ({ action, by, to, movesCents }) => {
        const before = [await bob.balanceCents(), await carol.balanceCents()] as const;
        const id = await chargeOfBob();
        const [who, other] = by === 'target' ? [bob, carol] : [carol, bob];
        const { status, body } = await who.act(id, action);
        expect([status, body.data.status]).toEqual([200, to]);
        expect(body.data.date_completed).toMatch(DATETIME);
        expect([await bob.balanceCents(), await carol.balanceCents()]).toEqual([
          before[0] - movesCents,
          before[1] + movesCents,
        ]);
        const again = await who.act(id, action);
        expect([again.status, again.body.data]).toEqual([200, body.data]);
        const rest = endings.filter((ending) => ending.action !== action);
        for (const ending of rest) {
          const late = await (ending.by === by ? who : other).act(id, ending.action);
          expect(refusalOf(late)).toEqual([409, 'payment_not_pending']);
        }
      },
    );

    // Shows act-6, error-30
    it.each([
      { action: 'approve', who: () => carol },
      { action: 'deny', who: () => carol },
      { action: 'cancel', who: () => bob },
    ])('when the wrong party sends $action, then it is rejected and nothing changes', async ({ action, who }) => {
      const id = await chargeOfBob();
      expect(refusalOf(await who().act(id, action))).toEqual([403, 'not_permitted']);
      expect((await bob.read(id)).body.data.status).toBe('pending');
    });

    // Shows act-11
    it('when its target lacks the funds, then the approval is rejected and it stays pending', async () => {
      const { body } = await bob.send({ user_id: carol.id }, -BEYOND_CAROL);
      expect(refusalOf(await carol.act(body.data.payment.id, 'approve'))).toEqual([400, 'insufficient_funds']);
      expect((await carol.read(body.data.payment.id)).body.data.status).toBe('pending');
    });

    // Shows act-12
    it('when funds have arrived since, then the approval that was rejected before settles it', async () => {
      const before = await carol.balanceCents();
      const { body } = await bob.send({ user_id: carol.id }, -(before + 1) / 100);
      const { id } = body.data.payment;
      expect((await carol.act(id, 'approve')).body.error.code).toBe('insufficient_funds');
      await alice.send({ user_id: carol.id }, '0.01');
      expect((await carol.act(id, 'approve')).body.data.status).toBe('settled');
      expect(await carol.balanceCents()).toBe(0);
    });

    // Shows act-7
    it('when a user who is not a party acts, then the response is that of an unknown payment', async () => {
      const id = await chargeOfBob();
      const stranger = await alice.act(id, 'approve');
      const madeUp = await alice.act('1234567890123456789', 'approve');
      expect([stranger.status, stranger.text]).toEqual([404, madeUp.text]);
    });
  });
});
