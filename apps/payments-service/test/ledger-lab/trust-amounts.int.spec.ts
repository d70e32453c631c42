import { jest } from '@jest/globals';
import type { PaymentView, UserRecord } from '@settle/contracts';
import { LedgerLab, type LabInstance, type LabOptions } from './ledger-lab.fixture.js';
import { createCommand, pair, person } from './people.fixture.js';
import { SharedOut } from './sharing-bus.fixture.js';

const DAY_MS = 86_400_000;

interface Charging {
  readonly payer: UserRecord;
  readonly payee: UserRecord;
}

describe('an amount that a user lets a trusted friend charge within a day', () => {
  let lab: LedgerLab;
  let aheadMs = 0;
  const nowMs = () => Date.now() + aheadMs;

  beforeAll(async () => {
    lab = await LedgerLab.open();
  });
  afterEach(() => lab.stopInstances());
  afterAll(() => lab.close());

  const limited = (options: LabOptions = {}): Promise<LabInstance> =>
    lab.instance({ nowMs, ...options, env: { RATE_LIMITS: 'on', ...options.env } });
  let version = 0;
  const setAmount = async ({ payer, payee }: Charging, amountPerDayCents?: number): Promise<void> => {
    version += 1;
    await lab.know(pair(payer, payee, { version, trusts: true, amountPerDayCents: amountPerDayCents ?? null }));
  };
  const trusted = async (amountPerDayCents?: number): Promise<Charging> => {
    const two = { payer: person(), payee: person() };
    await lab.know(two.payer, two.payee);
    await setAmount(two, amountPerDayCents);
    return two;
  };
  const charge = async (by: LabInstance, { payer, payee }: Charging, amountCents = 100): Promise<PaymentView> =>
    (await by.commands.create(createCommand(payee, payer, { action: 'charge', amountCents }))).payment;
  const chargeMany = (count: number, by: LabInstance, two: Charging) =>
    Promise.all(Array.from({ length: count }, () => charge(by, two)));
  const settled = (payments: readonly PaymentView[]) => payments.filter(({ status }) => status === 'settled').length;
  const pending = (payments: readonly PaymentView[]) => payments.filter(({ status }) => status === 'pending').length;

  // Shows limit-18
  it('given an amount for seven charges, when 20 are sent at once, then seven settle and the rest is pending', async () => {
    const [instance, two] = [await limited(), await trusted(799)];
    await instance.fund(two.payer, 100_000);
    const payments = await chargeMany(20, instance, two);
    expect([settled(payments), pending(payments)]).toEqual([7, 13]);
    expect(await instance.balance(two.payer)).toBe(99_300);
    const restarted = await limited();
    expect((await charge(restarted, two)).status).toBe('pending');
    expect((await charge(restarted, two, 99)).status).toBe('settled');
    expect(
      (await restarted.act(two.payer, 'approve', payments.find(({ status }) => status === 'pending')!.id)).status,
    ).toBe('settled');
  });

  it('given charges that the payer could not fund and one that was approved, when more follow, then they took nothing of it', async () => {
    const [instance, two] = [await limited(), await trusted(300)];
    const waiting = await chargeMany(3, instance, two);
    expect(pending(waiting)).toBe(3);
    await instance.fund(two.payer, 100_000);
    await instance.act(two.payer, 'approve', waiting[0]!.id);
    for (const by of [instance, await limited()]) expect((await charge(by, two)).status).toBe('settled');
  });

  it('given an amount that is used up, when it is raised, ended or a day is over, then charges settle again', async () => {
    const [instance, two] = [await limited(), await trusted()];
    await instance.fund(two.payer, 100_000);
    expect(settled(await chargeMany(3, instance, two))).toBe(3);
    const statusWith = async (amountPerDayCents?: number) => {
      await setAmount(two, amountPerDayCents);
      return (await charge(instance, two)).status;
    };
    expect([await statusWith(300), await statusWith(400), await statusWith(400)]).toEqual([
      'pending',
      'settled',
      'pending',
    ]);
    expect([await statusWith(), await statusWith(1)]).toEqual(['settled', 'pending']);
    aheadMs += DAY_MS + 1_000;
    expect(await statusWith(100)).toBe('settled');
  });

  it('given two instances, when the user who charges moves between them, then the amount is not exceeded', async () => {
    const shared = new SharedOut(() => 0);
    for (const index of [0, 1]) shared.instances.push(await limited({ bus: shared.bus(index) }));
    const two = await trusted(1_000);
    const owner = () => shared.instances[shared.indexOf(two.payee.card.id)]!;
    await owner().fund(two.payer, 100_000);
    const payments = await chargeMany(4, owner(), two);
    for (const index of [1, 0, 1]) {
      shared.shareOut(() => index);
      payments.push(...(await chargeMany(4, owner(), two)));
    }
    expect([settled(payments), pending(payments)]).toEqual([10, 6]);
  });

  it('given a charge that used the amount up, when it is delivered again, then it is answered with its payment', async () => {
    const [first, other] = [await limited(), await limited()];
    const { payer, payee } = await trusted(100);
    await first.fund(payer, 1_000);
    const command = createCommand(payee, payer, { action: 'charge' });
    const { payment } = await first.commands.create(command);
    expect(payment.status).toBe('settled');
    for (const instance of [first, other]) expect((await instance.commands.create(command)).payment).toEqual(payment);
  });

  it('given trust without an amount, when it is used, then nothing is looked up; given RATE_LIMITS=off, then nothing is limited', async () => {
    const [instance, two] = [await limited(), await trusted()];
    await instance.fund(two.payer, 100_000);
    const query = jest.spyOn(instance.pools.live.pool, 'query');
    expect(settled(await chargeMany(5, instance, two))).toBe(5);
    const names = query.mock.calls.map(([asked]) => (asked as unknown as { name?: string }).name);
    expect(names).not.toContain('taken-by-payer');
    await setAmount(two, 1);
    const unlimited = await limited({ env: { RATE_LIMITS: 'off' } });
    expect(settled(await chargeMany(3, unlimited, two))).toBe(3);
  });
});
