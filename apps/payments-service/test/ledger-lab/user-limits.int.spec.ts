import { jest } from '@jest/globals';
import { SettleError, type CreatePayment, type CreatedPayment, type UserRecord } from '@settle/contracts';
import type { AppendResult } from '@settle/event-store';
import { eventually } from '@settle/testing';
import { FreezingPool } from './freezing-pool.fixture.js';
import { LedgerLab, type LabInstance, type LabOptions } from './ledger-lab.fixture.js';
import { anEmail, createCommand, pair, person } from './people.fixture.js';
import { SharedOut } from './sharing-bus.fixture.js';

const DAY_MS = 86_400_000;

describe('the limits of a user', () => {
  let lab: LedgerLab;
  let aheadMs = 0;
  const nowMs = () => Date.now() + aheadMs;

  beforeAll(async () => {
    lab = await LedgerLab.open();
  });
  afterEach(() => lab.stopInstances());
  afterAll(() => lab.close());

  const limited = (options: LabOptions = {}): Promise<LabInstance> =>
    lab.instance({ ...options, env: { RATE_LIMITS: 'on', ...options.env } });
  const newUsers = async (count: number): Promise<UserRecord[]> => {
    const users = Array.from({ length: count }, () => person());
    await lab.know(...users);
    return users;
  };
  const twoUsers = async () => (await newUsers(2)) as [UserRecord, UserRecord];
  const charge = { action: 'charge' } as const;

  type Attempt = CreatedPayment | SettleError;
  const attempt = (instance: LabInstance, command: CreatePayment): Promise<Attempt> =>
    instance.commands.create(command).catch((error: unknown) => {
      if (error instanceof SettleError) return error;
      throw error;
    });
  const chargeAtOnce = (count: number, send: (index: number) => Promise<Attempt>): Promise<Attempt[]> =>
    Promise.all(Array.from({ length: count }, (_, index) => send(index)));
  const admitted = (attempts: readonly Attempt[]) =>
    attempts.flatMap((each) => (each instanceof SettleError ? [] : [each.payment]));
  const expectRefused = (attempts: readonly Attempt[]) => {
    const refusals = attempts.filter((each) => each instanceof SettleError);
    expect(new Set(refusals.map(({ code }) => code))).toEqual(new Set(['rate_limited']));
    for (const { details } of refusals) expect(details['retryAfterSeconds']).toBeGreaterThan(0);
  };
  const pendingOf = async ({ card }: UserRecord) => {
    await lab.caughtUp();
    const pending = `select from payments where actor_id = $1 and status = 'pending' and action = 'charge'`;
    return (await lab.pool.query(pending, [card.id])).rowCount;
  };

  it('given a stranger, when 200 charges with keys are sent at once, then 20 are pending, the rest is refused and keeps no key', async () => {
    const instance = await limited();
    const [actor, target] = await twoUsers();
    const attempts = await chargeAtOnce(200, (index) =>
      attempt(
        instance,
        createCommand(actor, target, { ...charge, idempotency: { key: `k${index}`, requestHash: `h${index}` } }),
      ),
    );
    expect(admitted(attempts)).toHaveLength(20);
    expectRefused(attempts);
    expect(await pendingOf(actor)).toBe(20);
    const keys = await lab.pool.query('select from idempotency_keys where user_id = $1', [actor.card.id]);
    expect(keys.rowCount).toBe(20);
  });

  it('given 20 pending charges, when one is denied, then exactly one more is admitted, and another user is not limited', async () => {
    const instance = await limited();
    const [actor, target, other] = (await newUsers(3)) as [UserRecord, UserRecord, UserRecord];
    const send = (to: UserRecord) => attempt(instance, createCommand(actor, to, charge));
    const [first] = admitted(await chargeAtOnce(20, () => send(target)));
    expectRefused([await send(target)]);
    await instance.act(target, 'deny', first?.id ?? '');
    const attempts = await chargeAtOnce(10, () => send(target));
    expect(admitted(attempts)).toHaveLength(1);
    expectRefused(attempts);
    expect(admitted([await send(other)])).toHaveLength(1);
  });

  // Shows limit-13
  it('given two instances, when a user moves between them while charging, then 20 charges are pending', async () => {
    const shared = new SharedOut(() => 0);
    for (const index of [0, 1]) shared.instances.push(await limited({ bus: shared.bus(index) }));
    const [actor, target] = await twoUsers();
    const send = () => attempt(shared.instances[shared.indexOf(actor.card.id)]!, createCommand(actor, target, charge));
    const attempts = [...(await chargeAtOnce(9, send))];
    for (const owner of [1, 0, 1]) {
      shared.shareOut(() => owner);
      attempts.push(...(await chargeAtOnce(6, send)));
    }
    expect(admitted(attempts)).toHaveLength(20);
    expectRefused(attempts);
    expect(await pendingOf(actor)).toBe(20);
  });

  it('given read models that are behind, when the user moves to another instance, then it counts what they do not show yet', async () => {
    const shared = new SharedOut(() => 0);
    const projections = new FreezingPool();
    for (const index of [0, 1]) {
      const options = { env: { PENDING_PER_PAIR: '3' }, wrapProjections: projections.before };
      shared.instances.push(await limited({ ...options, bus: shared.bus(index) }));
    }
    const [actor, target] = await twoUsers();
    const [before, after] = shared.instances as [LabInstance, LabInstance];
    const append = jest.spyOn(before.store, 'append');
    projections.freeze();
    const sent = chargeAtOnce(3, () => attempt(before, createCommand(actor, target, charge)));
    await eventually(async () => expect(append).toHaveBeenCalledTimes(3));
    const appended = await Promise.all(append.mock.results.map(({ value }) => value as Promise<AppendResult>));
    const newest = Math.max(...appended.map(({ position }) => position));
    shared.shareOut(() => 1);
    const reached = jest.spyOn(after.ledger.projector, 'waitForPosition');
    const attempts = chargeAtOnce(3, () => attempt(after, createCommand(actor, target, charge)));
    await eventually(async () => expect(reached).toHaveBeenCalled());
    expect(reached.mock.calls[0]?.[0]).toBeGreaterThanOrEqual(newest);
    projections.thaw();
    expect(admitted([...(await sent), ...(await attempts)])).toHaveLength(3);
  });

  it('given charges to friends who pay at once, when many are sent at once, then none is refused', async () => {
    const instance = await limited({ env: { PENDING_PER_PAIR: '3' } });
    const [actor, friend] = await twoUsers();
    await lab.know(pair(friend, actor, { trusts: true }));
    await instance.fund(friend, 10_000);
    const attempts = await chargeAtOnce(30, () => attempt(instance, createCommand(actor, friend, charge)));
    expect(new Set(admitted(attempts).map(({ status }) => status))).toEqual(new Set(['settled']));
    expect(admitted(attempts)).toHaveLength(30);
  });

  // Shows limit-14
  it('given five pending charges in all, when any further user is charged, then it is refused', async () => {
    const instance = await limited({ env: { PENDING_PER_USER: '5' } });
    const [actor, ...targets] = (await newUsers(4)) as [UserRecord, ...UserRecord[]];
    const toAnyone = (index: number) => targets[index] ?? anEmail();
    const attempts = await chargeAtOnce(8, (index) => attempt(instance, createCommand(actor, toAnyone(index), charge)));
    expect(admitted(attempts)).toHaveLength(5);
    expectRefused(attempts);
  });

  // Shows limit-15
  it('given the day’s number of new payees, when paid, then known ones are, new ones only a day after', async () => {
    const options = { env: { NEW_PAYEES_PER_DAY: '4' }, nowMs };
    const instance = await limited(options);
    const [actor, ...payees] = (await newUsers(14)) as [UserRecord, ...UserRecord[]];
    await instance.fund(actor, 100_000);
    const pay = (to: UserRecord | ReturnType<typeof anEmail>, by = instance) =>
      attempt(by, createCommand(actor, to, { amountCents: 1 }));
    const email = anEmail();
    expect(admitted([await pay(payees[0]!), await pay(email)])).toHaveLength(2);
    aheadMs += DAY_MS + 1_000;
    const attempts = await chargeAtOnce(10, (index) => pay(payees[1 + index]!));
    expect(admitted(attempts)).toHaveLength(4);
    expectRefused(attempts);
    const restarted = await limited(options);
    for (const by of [instance, restarted]) {
      expect(admitted([await pay(payees[0]!, by), await pay(email, by)])).toHaveLength(2);
      expectRefused([await pay(payees[11]!, by), await pay(anEmail(), by)]);
    }
    aheadMs += DAY_MS + 1_000;
    expect(admitted([await pay(payees[11]!, restarted)])).toHaveLength(1);
    expect(admitted([await pay(anEmail())])).toHaveLength(1);
  });

  it('given an amount a day, when pays and approvals add up to it, then the next cent is refused until the day is over', async () => {
    const options = { env: { AMOUNT_PER_DAY: '5.00' }, nowMs };
    const instance = await limited(options);
    const [payer, payee] = await twoUsers();
    await instance.fund(payer, 250);
    const failed = await attempt(instance, createCommand(payer, payee, { amountCents: 400 }));
    expect(admitted([failed])[0]?.status).toBe('failed');
    await instance.fund(payer, 100_000);
    const request = await instance.create(payee, payer, { ...charge, amountCents: 300 });
    await instance.act(payer, 'approve', request.payment.id);
    const attempts = await chargeAtOnce(5, () => attempt(instance, createCommand(payer, payee)));
    expect(admitted(attempts)).toHaveLength(2);
    expectRefused(attempts);
    const more = await instance.create(payee, payer, charge);
    const restarted = await limited(options);
    for (const by of [instance, restarted]) {
      await expect(by.act(payer, 'approve', more.payment.id)).rejects.toMatchObject({ code: 'rate_limited' });
    }
    aheadMs += DAY_MS + 1_000;
    expect((await restarted.act(payer, 'approve', more.payment.id)).status).toBe('settled');
  });

  it('given a command that reached the limit, when it is delivered again, then it is answered with its payment', async () => {
    const options = { env: { PENDING_PER_PAIR: '1' } };
    const [first, other] = [await limited(options), await limited(options)];
    const [actor, target] = await twoUsers();
    const command = createCommand(actor, target, charge);
    const answer = await first.commands.create(command);
    for (const instance of [first, other]) {
      expect((await instance.commands.create(command)).payment).toEqual(answer.payment);
    }
    expect(await pendingOf(actor)).toBe(1);
  });

  it('given a user who paid before, when paying on, then limits read nothing from the database', async () => {
    const instance = await limited();
    const [payer, payee] = await twoUsers();
    await instance.fund(payer, 10_000);
    await instance.create(payer, payee);
    const query = jest.spyOn(instance.pools.live.pool, 'query');
    for (let index = 0; index < 20; index += 1) await instance.create(payer, payee);
    const names = query.mock.calls.map(([asked]) => (asked as unknown as { name?: string }).name);
    expect(names).not.toContain('activity-of-user');
    expect(names).not.toContain('has-paid-user');
  });

  it('given RATE_LIMITS=off, when more charges are sent than limits admit, then none is refused', async () => {
    const instance = await limited({ env: { RATE_LIMITS: 'off', PENDING_PER_PAIR: '2' } });
    const [actor, target] = await twoUsers();
    const attempts = await chargeAtOnce(25, () => attempt(instance, createCommand(actor, target, charge)));
    expect(admitted(attempts)).toHaveLength(25);
  });
});
