import type { PaymentView, RequestAction, UserRecord } from '@settle/contracts';
import { LedgerLab, type LabInstance } from './ledger-lab.fixture.js';
import { anEmail, listQuery, pair, person, proves } from './people.fixture.js';

type Role = 'actor' | 'target' | 'stranger';
type Kind = 'charge' | 'charge of an address' | 'held pay' | 'settled pay' | 'failed pay';

interface Scene {
  readonly payment: PaymentView;
  readonly actor: UserRecord;
  readonly target: UserRecord;
  readonly stranger: UserRecord;
}

/** A user, an action, a payment, and the result: a status or an error code. */
const MOVES: readonly (readonly [Kind, Role, RequestAction, string])[] = [
  ['charge', 'target', 'approve', 'settled'],
  ['charge', 'target', 'deny', 'cancelled'],
  ['charge', 'target', 'cancel', 'not_permitted'],
  ['charge', 'actor', 'cancel', 'cancelled'],
  ['charge', 'actor', 'approve', 'not_permitted'],
  ['charge', 'actor', 'deny', 'not_permitted'],
  ['charge', 'stranger', 'approve', 'resource_not_found'],
  ['charge', 'stranger', 'deny', 'resource_not_found'],
  ['charge', 'stranger', 'cancel', 'resource_not_found'],
  ['charge of an address', 'target', 'approve', 'settled'],
  ['charge of an address', 'target', 'deny', 'cancelled'],
  ['charge of an address', 'actor', 'cancel', 'cancelled'],
  ['charge of an address', 'stranger', 'approve', 'resource_not_found'],
  ['held pay', 'actor', 'cancel', 'cancelled'],
  ['held pay', 'actor', 'approve', 'not_permitted'],
  ['held pay', 'stranger', 'cancel', 'resource_not_found'],
  ['settled pay', 'actor', 'cancel', 'payment_not_pending'],
  ['settled pay', 'target', 'approve', 'payment_not_pending'],
  ['settled pay', 'target', 'deny', 'payment_not_pending'],
  ['settled pay', 'target', 'cancel', 'not_permitted'],
  ['settled pay', 'stranger', 'cancel', 'resource_not_found'],
  ['failed pay', 'actor', 'cancel', 'payment_not_pending'],
  ['failed pay', 'stranger', 'cancel', 'resource_not_found'],
];

const ENDS = [
  { first: 'approve', by: 'target', status: 'settled' },
  { first: 'deny', by: 'target', status: 'cancelled' },
  { first: 'cancel', by: 'actor', status: 'cancelled' },
] as const;

describe('approve, deny and cancel', () => {
  let lab: LedgerLab;
  let instance: LabInstance;

  beforeAll(async () => {
    lab = await LedgerLab.open();
    instance = await lab.instance();
  });
  afterAll(() => lab.close());

  async function scene(kind: Kind): Promise<Scene> {
    const [actor, known, stranger] = [person(), person(), person()];
    const mail = anEmail();
    const target = kind === 'charge of an address' ? proves(known, mail) : known;
    await lab.know(actor, known, stranger);
    if (kind !== 'failed pay') await instance.fund(actor, 1_000);
    await instance.fund(target, 1_000);
    const isToAddress = kind === 'held pay' || kind === 'charge of an address';
    const action = kind === 'charge' || kind === 'charge of an address' ? 'charge' : 'pay';
    const { payment } = await instance.create(actor, isToAddress ? mail : target, { action });
    await lab.know(target);
    return { payment, actor, target, stranger };
  }

  it.each(MOVES)('given a %s, when the %s would %s it, then %s', async (kind, role, action, outcome) => {
    const given = await scene(kind);
    const isStatus = outcome === 'settled' || outcome === 'cancelled';
    const acting = instance.act(given[role], action, given.payment.id);
    if (isStatus) expect(await acting).toMatchObject({ status: outcome, id: given.payment.id });
    else await expect(acting).rejects.toMatchObject({ code: outcome });
    const shown = await instance.view(given.actor, given.payment.id);
    expect(shown.status).toBe(isStatus ? outcome : given.payment.status);
    if (isStatus) expect(shown).toEqual(await acting);
  });

  it.each(ENDS)(
    'given a charge after $first, when done again, then the same; another action is too late',
    async (end) => {
      const given = await scene('charge');
      const done = await instance.act(given[end.by], end.first, given.payment.id);
      expect(done.completedAtUs).not.toBeNull();
      expect(await instance.act(given[end.by], end.first, given.payment.id)).toEqual(done);
      for (const other of ENDS.filter(({ first }) => first !== end.first)) {
        const late = instance.act(given[other.by], other.first, given.payment.id);
        await expect(late).rejects.toMatchObject({ code: 'payment_not_pending' });
      }
      expect(await instance.view(given.target, given.payment.id)).toEqual(done);
    },
  );

  it('given an approver without funds, when approved, then insufficient_funds, until there are funds', async () => {
    const [actor, target] = [person(), person()];
    await lab.know(actor, target);
    const { payment } = await instance.create(actor, target, { action: 'charge' });
    const approve = () => instance.act(target, 'approve', payment.id);
    await expect(approve()).rejects.toMatchObject({ code: 'insufficient_funds' });
    expect((await instance.view(target, payment.id)).status).toBe('pending');
    await instance.fund(target, 100);
    expect((await approve()).status).toBe('settled');
    expect([await instance.balance(actor), await instance.balance(target)]).toEqual([100, 0]);
  });

  it('given a trusted charge that was refused, when approved after funds came, then it settles', async () => {
    const [actor, target] = [person(), person()];
    await lab.know(actor, target, pair(target, actor, { trusts: true }));
    const { payment } = await instance.create(actor, target, { action: 'charge' });
    expect(payment.status).toBe('pending');
    await expect(instance.act(target, 'approve', payment.id)).rejects.toMatchObject({ code: 'insufficient_funds' });
    await instance.fund(target, 100);
    expect((await instance.act(target, 'approve', payment.id)).status).toBe('settled');
  });

  it.each(['actor', 'target'] as const)(
    'given a charge, when the %s is frozen, then it can be ended but not paid',
    async (role) => {
      const given = await scene('charge');
      await lab.know({ ...given[role], version: 9, isFrozen: true });
      await expect(instance.act(given.target, 'approve', given.payment.id)).rejects.toMatchObject({
        code: 'account_frozen',
      });
      expect((await instance.act(given.target, 'deny', given.payment.id)).status).toBe('cancelled');
    },
  );

  it.each(['actor', 'target'] as const)(
    'given a charge, when the %s has become a business, then it can be ended but not paid',
    async (role) => {
      const given = await scene('charge');
      await lab.know({ ...given[role], version: 9, isBusiness: true });
      await expect(instance.act(given.target, 'approve', given.payment.id)).rejects.toMatchObject({
        code: 'merchant_payments_not_allowed',
      });
      expect((await instance.act(given.actor, 'cancel', given.payment.id)).status).toBe('cancelled');
    },
  );

  it('given a held pay, when its payer is frozen, then it can be cancelled and the money goes back', async () => {
    const given = await scene('held pay');
    await lab.know({ ...given.actor, version: 9, isFrozen: true });
    const cancelled = await instance.act(given.actor, 'cancel', given.payment.id);
    expect([cancelled.refund?.status, await instance.balance(given.actor)]).toEqual(['settled', 1_000]);
  });

  it('given a charge of an address, when its owner is frozen, then it can be denied but not paid', async () => {
    const given = await scene('charge of an address');
    await lab.know({ ...given.target, version: 9, isFrozen: true });
    await expect(instance.act(given.target, 'approve', given.payment.id)).rejects.toMatchObject({
      code: 'account_frozen',
    });
    expect((await instance.act(given.target, 'deny', given.payment.id)).status).toBe('cancelled');
  });

  // Shows act-15
  it('given a charge, when the two have parted with a block, then it can be ended but not paid', async () => {
    const given = await scene('charge');
    await lab.know(pair(given.target, given.actor, { blocks: true }));
    await expect(instance.act(given.target, 'approve', given.payment.id)).rejects.toMatchObject({
      code: 'not_permitted',
    });
    expect((await instance.act(given.actor, 'cancel', given.payment.id)).status).toBe('cancelled');
  });

  // Shows act-42
  it('given a charged address, when a newer proof gives it to another, then that one may approve and no longer the first', async () => {
    const [actor, first, second] = [person(), person(), person()];
    const mail = anEmail();
    await lab.know(actor, first, second);
    await instance.fund(second, 1_000);
    const { payment } = await instance.create(actor, mail, { action: 'charge' });
    await lab.know(proves(first, mail, 1));
    expect((await instance.view(first, payment.id)).target.user).toEqual(first.card);
    await lab.know(proves(second, mail, 2));
    await expect(instance.act(first, 'approve', payment.id)).rejects.toMatchObject({ code: 'resource_not_found' });
    const settled = await instance.act(second, 'approve', payment.id);
    expect(settled).toMatchObject({ status: 'settled', target: { type: 'email', user: second.card, email: null } });
    expect((await instance.queries.list(listQuery(first))).payments).toEqual([]);
    expect((await instance.queries.list(listQuery(second))).payments).toEqual([settled]);
  });

  it('given a held pay that is cancelled, when its refund is read, then it has all fields and is in no list', async () => {
    const [actor] = [person({ defaultAudience: 'public' })];
    await lab.know(actor);
    await instance.fund(actor, 1_000);
    const { payment } = await instance.create(actor, anEmail(), { note: 'back to me' });
    const cancelled = await instance.act(actor, 'cancel', payment.id);
    expect(await instance.balance(actor)).toBe(1_000);
    const { refund } = cancelled;
    const facts = {
      status: 'settled',
      action: 'pay',
      amountCents: 100,
      note: 'back to me',
      audience: 'private',
      medium: 'api',
    };
    expect(refund).toMatchObject({ ...facts, actor: actor.card, feeCents: null, refund: null });
    expect(refund?.target).toEqual({ type: 'user', user: actor.card, email: null, phone: null });
    expect(await instance.view(actor, refund?.id ?? '')).toEqual(refund);
    expect((await instance.queries.list(listQuery(actor))).payments).toEqual([cancelled]);
    await expect(instance.act(actor, 'cancel', refund?.id ?? '')).rejects.toMatchObject({
      code: 'payment_not_pending',
    });
  });

  // Shows payment-17
  it('given a payment, when its people are called otherwise, then it shows that, alone and in lists', async () => {
    const [actor, target] = [person(), person()];
    await lab.know(actor, target);
    await instance.fund(actor, 1_000);
    const { payment } = await instance.create(actor, target);
    const called = (who: UserRecord, displayName: string) => ({
      ...who,
      version: who.version + 1,
      card: { ...who.card, displayName },
    });
    await lab.know(called(actor, 'Ann Other'), called(target, 'Bea Other'));
    const shown = await instance.view(target, payment.id);
    expect([shown.actor.displayName, shown.target.user?.displayName]).toEqual(['Ann Other', 'Bea Other']);
    expect((await instance.queries.list(listQuery(actor))).payments).toEqual([shown]);
  });

  it('given all of this, when the ledger is read over, then it is in order', async () => {
    await lab.expectInOrder();
  });
});
