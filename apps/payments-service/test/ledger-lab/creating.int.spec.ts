import { randomUUID } from 'node:crypto';
import { SANDBOX_TEST_USER, type CreatePayment, type PaymentTarget, type UserRecord } from '@settle/contracts';
import { LedgerLab, type LabInstance } from './ledger-lab.fixture.js';
import { anEmail, createCommand, listQuery, pair, person, proves } from './people.fixture.js';

interface People {
  readonly actor: UserRecord;
  readonly target: UserRecord;
}

/** A funded actor with what differs, and how they stand to each other. */
interface Given {
  readonly given: string;
  readonly actor?: Partial<UserRecord>;
  readonly target?: Partial<UserRecord>;
  readonly between?: Parameters<typeof pair>[2];
  readonly actorCents?: number;
  readonly targetCents?: number;
  readonly change?: Partial<CreatePayment>;
}

interface Outcome extends Given {
  readonly status: string;
  readonly balances: readonly [actor: number, target: number];
}

const CARD = { fundingSourceId: 'test-card-1' };
const DECLINED_CARD = { fundingSourceId: 'test-card-declined-1' };
const CHARGE = { action: 'charge' } as const;
const TRUSTING = { trusts: true };

const OUTCOMES: readonly Outcome[] = [
  { given: 'a pay within the balance', status: 'settled', balances: [900, 100] },
  { given: 'a pay of the whole balance', actorCents: 100, status: 'settled', balances: [0, 100] },
  { given: 'a pay above the balance', actorCents: 99, status: 'failed', balances: [99, 0] },
  { given: 'a pay from a wallet never opened', actorCents: 0, status: 'failed', balances: [0, 0] },
  { given: 'a pay above the balance and a card', actor: CARD, actorCents: 99, status: 'settled', balances: [99, 100] },
  {
    given: 'a pay and a card that declines',
    actor: DECLINED_CARD,
    actorCents: 99,
    status: 'failed',
    balances: [99, 0],
  },
  { given: 'a pay within the balance and a card', actor: CARD, status: 'settled', balances: [900, 100] },
  // Shows create-19
  { given: 'a pay by a business', actor: { isBusiness: true }, status: 'settled', balances: [900, 100] },
  { given: 'a charge of a stranger', change: CHARGE, targetCents: 500, status: 'pending', balances: [1_000, 500] },
  {
    given: 'a charge of a friend who does not trust',
    change: CHARGE,
    between: {},
    targetCents: 500,
    status: 'pending',
    balances: [1_000, 500],
  },
  {
    given: 'a charge by a user who trusts and is no friend',
    change: CHARGE,
    between: { trusts: true, areFriends: false },
    targetCents: 500,
    status: 'pending',
    balances: [1_000, 500],
  },
  {
    given: 'a charge of a trusting friend',
    change: CHARGE,
    between: TRUSTING,
    targetCents: 500,
    status: 'settled',
    balances: [1_100, 400],
  },
  {
    given: 'a charge of a trusting friend without funds',
    change: CHARGE,
    between: TRUSTING,
    status: 'pending',
    balances: [1_000, 0],
  },
  {
    given: 'a charge of a trusting friend with a card',
    change: CHARGE,
    between: TRUSTING,
    target: CARD,
    status: 'settled',
    balances: [1_100, 0],
  },
  {
    given: 'a charge of a trusting friend whose card declines',
    change: CHARGE,
    between: TRUSTING,
    target: DECLINED_CARD,
    status: 'pending',
    balances: [1_000, 0],
  },
];

const REFUSALS: readonly (Given & { readonly code: string })[] = [
  // Shows create-20, error-32
  { given: 'a frozen actor', actor: { isFrozen: true }, code: 'account_frozen' },
  // Shows create-21
  { given: 'a frozen target', target: { isFrozen: true }, code: 'account_frozen' },
  { given: 'a frozen actor who charges', actor: { isFrozen: true }, change: CHARGE, code: 'account_frozen' },
  { given: 'a charge by a frozen user', target: { isFrozen: true }, change: CHARGE, code: 'account_frozen' },
  {
    given: 'a charge of a friend who trusts and is frozen',
    target: { isFrozen: true },
    between: TRUSTING,
    change: CHARGE,
    code: 'account_frozen',
  },
  {
    given: 'a business that is charged',
    target: { isBusiness: true },
    change: CHARGE,
    code: 'merchant_payments_not_allowed',
  },
  // Shows create-26
  { given: 'a blocked pair', between: { blocks: true }, code: 'not_permitted' },
  // Shows create-17, error-31
  { given: 'a business as target', target: { isBusiness: true }, code: 'merchant_payments_not_allowed' },
  {
    // Shows create-18
    given: 'a business that charges',
    actor: { isBusiness: true },
    change: CHARGE,
    code: 'merchant_payments_not_allowed',
  },
  { given: 'a command whose caller has given up', change: { beginBeforeMs: 0 }, code: 'service_unavailable' },
  {
    given: "the sandbox's test user, who is unknown here,",
    change: { target: { type: 'user', value: SANDBOX_TEST_USER.id } },
    code: 'resource_not_found',
  },
];

describe('creating a payment', () => {
  let lab: LedgerLab;
  let instance: LabInstance;

  beforeAll(async () => {
    lab = await LedgerLab.open();
    instance = await lab.instance();
  });
  afterAll(() => lab.close());

  async function people({
    actor: traits,
    target: others,
    between,
    actorCents = 1_000,
    targetCents = 0,
  }: Given): Promise<People> {
    const actor = person(traits);
    const target = person(others);
    await lab.know(actor, target, ...(between === undefined ? [] : [pair(target, actor, between)]));
    if (actorCents > 0) await instance.fund(actor, actorCents);
    if (targetCents > 0) await instance.fund(target, targetCents);
    return { actor, target };
  }

  it.each(OUTCOMES)('given $given, when created, then it is $status and the money is where it says', async (row) => {
    const { actor, target } = await people(row);
    const { payment, balanceCents } = await instance.create(actor, target, row.change);
    expect(payment).toMatchObject({ status: row.status, actor: actor.card, refund: null, feeCents: null });
    expect(payment.target).toEqual({ type: 'user', user: target.card, email: null, phone: null });
    expect(payment.completedAtUs === null).toBe(row.status === 'pending');
    expect([balanceCents, await instance.balance(actor)]).toEqual([row.balances[0], row.balances[0]]);
    expect(await instance.balance(target)).toBe(row.balances[1]);
    expect(await instance.view(actor, payment.id)).toEqual(payment);
    expect(await instance.view(target, payment.id)).toEqual(payment);
    expect((await instance.queries.list(listQuery(target))).payments).toEqual([payment]);
  });

  it.each(REFUSALS)('given $given, when created, then $code and nothing is stored', async (row) => {
    const { actor, target } = await people(row);
    const command = createCommand(actor, target, row.change);
    await expect(instance.commands.create(command)).rejects.toMatchObject({ code: row.code });
    await expect(instance.view(actor, command.paymentId)).rejects.toMatchObject({ code: 'resource_not_found' });
    expect(await instance.balance(actor)).toBe(1_000);
  });

  it('given oneself as target, by id or by a proven address, when created, then cannot_pay_self', async () => {
    const mail = anEmail();
    const actor = proves(person(), mail);
    await lab.know(actor);
    await expect(instance.create(actor, actor)).rejects.toMatchObject({ code: 'cannot_pay_self' });
    await expect(instance.create(actor, mail)).rejects.toMatchObject({ code: 'cannot_pay_self' });
  });

  it('given unknown users, when a payment is created, then the target is not found and an unknown actor must retry', async () => {
    const { actor } = await people({ given: '' });
    await expect(instance.create(actor, person())).rejects.toMatchObject({ code: 'resource_not_found' });
    await expect(instance.create(person(), actor)).rejects.toMatchObject({ code: 'service_unavailable' });
  });

  it.each(['pay', 'charge'] as const)(
    'given a proven address, when %s names it, then it is its owner',
    async (action) => {
      const { actor, target } = await people({ given: '' });
      const mail = anEmail();
      await lab.know(proves(target, mail));
      const spelt: PaymentTarget = { type: 'email', value: mail.value.toUpperCase() };
      const { payment } = await instance.create(actor, spelt, { action });
      expect(payment.status).toBe(action === 'pay' ? 'settled' : 'pending');
      expect(payment.target).toEqual({ type: 'email', user: target.card, email: null, phone: null });
    },
  );

  it('given an unverified address, when paid, then the money is held and the address is shown as given', async () => {
    const { actor } = await people({ given: '' });
    const { payment, balanceCents } = await instance.create(actor, { type: 'phone', value: '+14155559999' });
    expect(payment).toMatchObject({ status: 'pending', completedAtUs: null });
    expect(payment.target).toEqual({ type: 'phone', user: null, email: null, phone: '+14155559999' });
    expect(balanceCents).toBe(900);
  });

  // Shows create-27
  it('given no audience, when created, then it is the default of who creates it', async () => {
    const { actor, target } = await people({ given: '', actor: { defaultAudience: 'friends' } });
    expect((await instance.create(actor, target)).payment.audience).toBe('friends');
    expect((await instance.create(actor, target, { audience: 'public' })).payment.audience).toBe('public');
  });

  it('given a deposit, when its command comes again, at once or later, then the money is there once', async () => {
    const { actor } = await people({ given: '' });
    const command = { commandId: randomUUID(), userId: actor.card.id, amountCents: 50 };
    const [one, other] = await Promise.all([instance.addFunds(command), instance.addFunds(command)]);
    expect([one, other, await instance.addFunds(command)]).toEqual(Array(3).fill({ balanceCents: 1_050 }));
  });

  it('given all of this, when the ledger is read over, then it is in order', async () => {
    await lab.expectInOrder();
  });
});
