import {
  SANDBOX_TEST_USER,
  sandboxTestUserCard,
  type CreatePayment,
  type PaymentTarget,
  type UserRecord,
} from '@settle/contracts';
import { expectSandboxInOrder, rowsOf } from './sandbox.fixture.js';
import { LedgerLab, type LabInstance } from './ledger-lab.fixture.js';
import { actCommand, anEmail, createCommand, listQuery, pair, person, proves } from './people.fixture.js';

const SANDBOX = { environment: 'sandbox' } as const;
const MS_PER_DAY = 86_400_000;
const CARD = sandboxTestUserCard('http://localhost:3000');

const NAMES: readonly PaymentTarget[] = [
  { type: 'user', value: SANDBOX_TEST_USER.id },
  { type: 'email', value: 'Venmo@VENMO.com' },
  { type: 'phone', value: SANDBOX_TEST_USER.phone },
];
const UNREGISTERED = {
  user: { type: 'email', user: null, email: SANDBOX_TEST_USER.email, phone: null },
  email: { type: 'email', user: null, email: 'Venmo@VENMO.com', phone: null },
  phone: { type: 'phone', user: null, email: null, phone: SANDBOX_TEST_USER.phone },
};

describe('the sandbox', () => {
  let lab: LedgerLab;
  let instance: LabInstance;
  let aheadMs = 0;

  beforeAll(async () => {
    lab = await LedgerLab.open();
    instance = await lab.instance({
      env: { FEE_BPS: '100' },
      nowMs: () => Date.now() + aheadMs,
      hasSandbox: true,
    });
  });
  beforeEach(() => (aheadMs = 0));
  afterAll(async () => {
    await expectSandboxInOrder(instance, lab);
    expect((await lab.expectInOrder()).walletCents).toBe(0);
    await lab.close();
  });

  async function createUser(traits: Partial<UserRecord> = {}): Promise<UserRecord> {
    const who = person(traits);
    await lab.know(who);
    return who;
  }

  async function friends(traits: Partial<UserRecord> = {}): Promise<[UserRecord, UserRecord]> {
    const two: [UserRecord, UserRecord] = [await createUser(traits), await createUser()];
    await lab.know(pair(...two));
    return two;
  }

  const send = (actor: UserRecord, target: UserRecord | PaymentTarget, change: Partial<CreatePayment> = {}) =>
    instance.commands.create(createCommand(actor, target, { ...SANDBOX, ...change }));
  const act = (actor: UserRecord, action: 'approve' | 'deny' | 'cancel', paymentId: string) =>
    instance.commands.act({ ...actCommand(actor, action, paymentId), ...SANDBOX });
  const view = (viewer: UserRecord, paymentId: string) =>
    instance.queries.get({ paymentId, viewerId: viewer.card.id, ...SANDBOX });
  const balance = async ({ card }: UserRecord) =>
    (await instance.queries.balance({ userId: card.id, ...SANDBOX })).balanceCents;
  const list = async (viewer: UserRecord) =>
    (await instance.queries.list(listQuery(viewer, SANDBOX))).payments.map(({ id }) => id);

  describe.each(NAMES)('given its test user by $type', (target) => {
    // Shows sandbox-8
    it.each([
      ['pay', 10, 'settled', 990],
      ['pay', 20, 'failed', 1_000],
      ['pay', 30, 'pending', 970],
      ['charge', 10, 'settled', 1_010],
      ['charge', 20, 'pending', 1_000],
    ] as const)('when there is a %s of %s cents, then it is %s, the balance is said to be %s', async (...row) => {
      const [action, amountCents, status, balanceCents] = row;
      const actor = await createUser();
      for (let time = 1; time <= 2; time += 1) {
        const created = await send(actor, target, { action, amountCents });
        expect(created.balanceCents).toBe(balanceCents);
        const { payment } = created;
        const isHeld = action === 'pay' && status === 'pending';
        expect(payment).toMatchObject({ status, action, amountCents, feeCents: null, refund: null });
        expect(payment.completedAtUs === null).toBe(status === 'pending');
        expect(payment.target).toEqual(
          isHeld ? UNREGISTERED[target.type] : { type: target.type, user: CARD, email: null, phone: null },
        );
        expect(await view(actor, payment.id)).toEqual(payment);
        expect(await list(actor)).toContain(payment.id);
      }
      expect(await balance(actor)).toBe(1_000);
      expect((await instance.ledgers.sandbox.histories.readTransfer('1', [actor.card.id], () => true)).stored).toEqual(
        new Map([[actor.card.id, { tail: { isOpen: false, balanceCents: 1_000, revision: -1 }, position: 0 }]]),
      );
    });

    it.each([
      ['pay', 40],
      ['pay', 1_000],
      ['charge', 30],
      ['charge', 1],
    ] as const)('when there is a %s of %s cents, then the amount is unknown', async (action, amountCents) => {
      const command = { action, amountCents, idempotency: { key: 'a', requestHash: 'ab'.repeat(32) } };
      const refused = send(await createUser(), target, command);
      await expect(refused).rejects.toMatchObject({ code: 'sandbox_amount_unknown' });
      expect(await rowsOf(lab, 'sandbox.idempotency_keys')).toEqual([]);
    });
  });

  // Shows sandbox-13, sandbox-20
  it('given a pending payment with the test user, when it is cancelled or expires, then no wallet has moved', async () => {
    const actor = await createUser();
    const [toPay, toCharge] = NAMES;
    if (toPay === undefined || toCharge === undefined) throw new RangeError();
    const held = (await send(actor, toPay, { amountCents: 30 })).payment.id;
    const asked = (await send(actor, toCharge, { action: 'charge', amountCents: 20 })).payment.id;
    const left = (await send(actor, toPay, { amountCents: 30 })).payment.id;
    await expect(act(actor, 'approve', asked)).rejects.toMatchObject({ code: 'not_permitted' });
    for (const id of [held, asked]) {
      expect(await act(actor, 'cancel', id)).toMatchObject({ status: 'cancelled', refund: null });
      expect(await view(actor, id)).toMatchObject({ status: 'cancelled', refund: null });
    }
    aheadMs = 31 * MS_PER_DAY;
    await instance.ledgers.live.worker.runDueWork();
    expect((await view(actor, left)).status).toBe('pending');
    await instance.ledgers.sandbox.worker.runDueWork();
    await expectSandboxInOrder(instance, lab);
    expect(await view(actor, left)).toMatchObject({ status: 'expired', refund: null });
    expect(await balance(actor)).toBe(1_000);
    expect(await rowsOf(lab, 'sandbox.ledger_entries', actor)).toEqual([]);
  });

  // Shows sandbox-10
  it("given a user who verifies the test user's address, then pending payments to it stay unclaimed", async () => {
    const actor = await createUser();
    const email = { type: 'email', value: SANDBOX_TEST_USER.email } as const;
    const { id } = (await send(actor, email, { amountCents: 30 })).payment;
    const owner = await createUser();
    await lab.know(proves(owner, email, 7));
    await instance.ledgers.sandbox.worker.claim(null);
    expect((await view(actor, id)).target.user).toBeNull();
    await expect(view(owner, id)).rejects.toMatchObject({ code: 'resource_not_found' });
    await expect(act(owner, 'cancel', id)).rejects.toMatchObject({ code: 'resource_not_found' });
    expect((await send(actor, email, { amountCents: 10 })).payment.target.user).toEqual(CARD);
    expect(await list(owner)).toEqual([]);
  });

  // Shows sandbox-16
  it('given two friends, when one pays the other, then both wallets open with 10.00 first', async () => {
    const [payer, payee] = await friends({ fundingSourceId: 'test-card-1' });
    expect([await balance(payer), await balance(payee)]).toEqual([1_000, 1_000]);
    const { payment, balanceCents } = await send(payer, payee, { amountCents: 250 });
    expect([payment.status, payment.feeCents, balanceCents]).toEqual(['settled', 3, 747]);
    expect([await balance(payer), await balance(payee)]).toEqual([747, 1_250]);
    expect(await rowsOf(lab, 'sandbox.ledger_entries', payer)).toEqual([
      ['WalletOpened', `wallet:${payer.card.id}`, `wallet:${payer.card.id}`, '0', '0'],
      ['FundsAdded', `funding:${payer.card.id}`, `wallet:${payer.card.id}`, '1000', '1000'],
      ['FundsDebited', `wallet:${payer.card.id}`, `transit:${payment.id}`, '253', '747'],
    ]);
    // A card pays in the real world only.
    expect((await send(payer, payee, { amountCents: 1_000 })).payment.status).toBe('failed');
    expect([await instance.balance(payer), await instance.balance(payee)]).toEqual([0, 0]);
  });

  it('given charges, when they are approved, denied, refused or trusted, then as in production', async () => {
    const [asker, asked] = await friends();
    const charge = async (amountCents: number) => (await send(asker, asked, { action: 'charge', amountCents })).payment;
    const { id } = await charge(400);
    expect((await act(asked, 'approve', id)).status).toBe('settled');
    expect([await balance(asker), await balance(asked)]).toEqual([1_400, 596]);
    expect((await act(asked, 'deny', (await charge(1)).id)).status).toBe('cancelled');
    await expect(act(asked, 'approve', (await charge(900)).id)).rejects.toMatchObject({ code: 'insufficient_funds' });
    await lab.know(pair(asked, asker, { trusts: true, version: 2 }));
    expect((await charge(100)).status).toBe('settled');
    expect([await balance(asker), await balance(asked)]).toEqual([1_500, 495]);
  });

  // Shows sandbox-20
  it('given a held pay, when its address is proven, then the real owner has it in the sandbox alone', async () => {
    const [payer, owner] = await friends();
    const mail = anEmail();
    const { payment, balanceCents } = await send(payer, mail, { amountCents: 100 });
    expect([payment.status, balanceCents]).toEqual(['pending', 899]);
    const cancelled = (await send(payer, anEmail(), { amountCents: 100 })).payment.id;
    expect((await act(payer, 'cancel', cancelled)).refund?.status).toBe('settled');
    await lab.know(proves(owner, mail));
    await instance.ledgers.live.worker.claim(null);
    await instance.ledgers.sandbox.worker.claim(null);
    await expectSandboxInOrder(instance, lab);
    expect(await view(owner, payment.id)).toMatchObject({ status: 'settled', target: { user: owner.card } });
    expect([await balance(payer), await balance(owner), await instance.balance(owner)]).toEqual([899, 1_100, 0]);
  });

  it('given a held pay, when its own payer verifies the address, then it is cancelled and refunded, as in production', async () => {
    const payer = await createUser();
    const mail = anEmail();
    const { payment } = await send(payer, mail, { amountCents: 100 });
    await lab.know(proves(payer, mail));
    await instance.ledgers.sandbox.worker.claim(null);
    await expectSandboxInOrder(instance, lab);
    expect(await view(payer, payment.id)).toMatchObject({ status: 'cancelled', refund: { status: 'settled' } });
    expect(await balance(payer)).toBe(1_000);
  });

  it('given a payment of one environment, when the other is asked, then there is none', async () => {
    const [one, other] = await friends();
    const notFound = { code: 'resource_not_found' };
    const apart = (await send(one, other, { action: 'charge' })).payment.id;
    const real = (await instance.create(one, other, { action: 'charge' })).payment.id;
    await expect(instance.view(one, apart)).rejects.toMatchObject(notFound);
    await expect(instance.act(other, 'approve', apart)).rejects.toMatchObject(notFound);
    await expect(view(one, real)).rejects.toMatchObject(notFound);
    await expect(act(other, 'approve', real)).rejects.toMatchObject(notFound);
    expect(await list(one)).toEqual([apart]);
    expect((await instance.queries.list(listQuery(one))).payments.map(({ id }) => id)).toEqual([real]);
  });

  it('given one key in both, when a request comes under it, then each environment has an answer of its own', async () => {
    const [one, other] = await friends();
    const idempotency = { key: 'order-7', requestHash: '0f'.repeat(32) };
    const charge = { action: 'charge', idempotency } as const;
    const apart = await send(one, other, charge);
    const real = await instance.create(one, other, charge);
    expect(real.payment.id).not.toBe(apart.payment.id);
    expect(await send(one, other, charge)).toEqual({ ...apart, isReplayed: true });
    expect(await instance.create(one, other, charge)).toMatchObject({ payment: real.payment, isReplayed: true });
    const unlike = { ...idempotency, requestHash: 'f0'.repeat(32) };
    await expect(send(one, other, { idempotency: unlike })).rejects.toMatchObject({ code: 'idempotency_key_reused' });
    const [byId] = NAMES;
    const unknown = send(one, byId ?? other, { amountCents: 7, idempotency: unlike });
    await expect(unknown).rejects.toMatchObject({ code: 'sandbox_amount_unknown' });
  });

  it('given a frozen person, when they pay the test user, then it is refused', async () => {
    const frozen = await createUser({ isFrozen: true });
    const [byId] = NAMES;
    await expect(send(frozen, byId ?? frozen, { amountCents: 10 })).rejects.toMatchObject({ code: 'account_frozen' });
  });
});
