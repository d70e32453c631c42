import { jest } from '@jest/globals';
import { SettleError, type CreatePayment, type CreatedPayment, type UserRecord } from '@settle/contracts';
import { rebuildReadModels } from '../../src/operators/rebuild.js';
import { READ_MODEL_NAMES, tablesOf } from '../../src/read-models/registry.js';
import { eventually } from '@settle/testing';
import { LedgerLab, type LabInstance, type LabOptions } from './ledger-lab.fixture.js';
import { rebuildParts } from './rebuild-parts.fixture.js';
import { actCommand, anEmail, createCommand, person } from './people.fixture.js';
import { SharedOut } from './sharing-bus.fixture.js';

const DAY_MS = 86_400_000;
const READ_MODEL_TABLES = tablesOf(READ_MODEL_NAMES).map(({ name }) => ({ table: name, differences: 0, first: null }));

type App = Pick<CreatePayment, 'appId' | 'appAmountPerDayCents'>;
type Payee = Parameters<typeof createCommand>[1];

describe('an amount that a user allows an app within a day', () => {
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
  const twoUsers = async (): Promise<[UserRecord, UserRecord]> => {
    const users: [UserRecord, UserRecord] = [person(), person()];
    await lab.know(...users);
    return users;
  };
  const through = (appId: string, appAmountPerDayCents?: number): App => ({
    appId,
    ...(appAmountPerDayCents !== undefined && { appAmountPerDayCents }),
  });

  type Attempt = CreatedPayment | SettleError;
  const attempt = (instance: LabInstance, command: CreatePayment): Promise<Attempt> =>
    instance.commands.create(command).catch((error: unknown) => {
      if (error instanceof SettleError) return error;
      throw error;
    });
  const atOnce = (count: number, send: (index: number) => Promise<Attempt>): Promise<Attempt[]> =>
    Promise.all(Array.from({ length: count }, (_, index) => send(index)));
  const admitted = (attempts: readonly Attempt[]) =>
    attempts.flatMap((each) => (each instanceof SettleError ? [] : [each.payment]));
  const expectRefused = (attempts: readonly Attempt[]) => {
    const refusals = attempts.filter((each) => each instanceof SettleError);
    expect(new Set(refusals.map(({ code }) => code))).toEqual(new Set(['not_permitted']));
    expect(refusals[0]?.message).toContain('Connected apps');
  };

  it('given an amount for seven pays, when 20 with keys are sent at once, then seven move money and only they keep a key', async () => {
    const instance = await limited();
    const [payer, payee] = await twoUsers();
    await instance.fund(payer, 100_000);
    const pay = (index: number, app: App) => {
      const idempotency = { key: `k${index}`, requestHash: `h${index}` };
      return attempt(instance, createCommand(payer, payee, { ...app, idempotency }));
    };
    const attempts = await atOnce(20, (index) => pay(index, through('lunch', 799)));
    expect(admitted(attempts).map(({ status }) => status)).toEqual(Array<string>(7).fill('settled'));
    expectRefused(attempts);
    expect(await instance.balance(payer)).toBe(99_300);
    const keys = await lab.pool.query('select from idempotency_keys where user_id = $1', [payer.card.id]);
    expect(keys.rowCount).toBe(7);
    expect(admitted([await pay(20, through('dinner', 799)), await pay(21, through('rent'))])).toHaveLength(2);
  });

  // Shows limit-17
  it('given pays, holds and approvals through an app, when they reach its amount, then the next cent is refused until the day is over', async () => {
    const instance = await limited({ nowMs });
    const [payer, payee] = await twoUsers();
    const lunch = through('lunch', 500);
    const pay = (by: LabInstance, amountCents: number, to: Payee = payee) =>
      attempt(by, createCommand(payer, to, { ...lunch, amountCents }));
    const approve = (by: LabInstance, id: string, app: App = lunch) =>
      by.commands.act(actCommand(payer, 'approve', id, app));
    const charged = async (amountCents: number) =>
      (await instance.create(payee, payer, { action: 'charge', amountCents })).payment.id;
    await instance.fund(payer, 300);
    expect(admitted([await pay(instance, 400)])[0]?.status).toBe('failed');
    await instance.fund(payer, 100_000);
    await approve(instance, await charged(700), through('dinner', 700));
    await approve(instance, await charged(150));
    const [held] = admitted([await pay(instance, 200, anEmail())]);
    expect(admitted([await pay(instance, 150)])[0]?.status).toBe('settled');
    const more = await charged(1);
    const restarted = await limited({ nowMs });
    for (const by of [instance, restarted]) {
      expectRefused([await pay(by, 1)]);
      await expect(approve(by, more)).rejects.toMatchObject({ code: 'not_permitted' });
      expect(admitted([await attempt(by, createCommand(payer, payee, { ...lunch, action: 'charge' }))])).toHaveLength(
        1,
      );
    }
    expect((await restarted.view(payer, more)).status).toBe('pending');
    await restarted.act(payer, 'cancel', held?.id ?? '');
    expect(admitted([await pay(restarted, 200)])).toHaveLength(1);
    expectRefused([await pay(restarted, 1)]);
    aheadMs += DAY_MS + 1_000;
    expect((await approve(restarted, more)).status).toBe('settled');
  });

  it('given payments without an amount, when the user sets one and then lowers it, then what the app moved before counts', async () => {
    const instance = await limited();
    const [payer, payee] = await twoUsers();
    await instance.fund(payer, 100_000);
    await instance.fund(payee, 100);
    const pay = (amountPerDayCents?: number) =>
      attempt(instance, createCommand(payer, payee, through('lunch', amountPerDayCents)));
    const { payment } = await instance.create(payee, payer, { action: 'charge' });
    const append = instance.store.append.bind(instance.store);
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const appends = jest.spyOn(instance.store, 'append');
    appends.mockImplementationOnce((unit) => held.then(() => append(unit)));
    const approving = instance.commands.act(actCommand(payer, 'approve', payment.id, through('lunch')));
    await eventually(async () => expect(appends).toHaveBeenCalled());
    const before = [pay(), pay()];
    const paying = atOnce(5, () => pay(500));
    // By then what does not wait for the approval is decided.
    await instance.create(payee, payer, { amountCents: 1 });
    release();
    await Promise.all([approving, ...before]);
    const attempts = await paying;
    expect(admitted(attempts)).toHaveLength(2);
    expectRefused(attempts);
    expect(admitted([await pay()])).toHaveLength(1);
    expectRefused([await pay(600), await pay(100)]);
    expect(admitted([await pay(700)])).toHaveLength(1);
  });

  it('given two instances, when a user moves between them while paying, then the amount is not exceeded', async () => {
    const shared = new SharedOut(() => 0);
    for (const index of [0, 1]) shared.instances.push(await limited({ bus: shared.bus(index) }));
    const [payer, payee] = await twoUsers();
    const owner = () => shared.instances[shared.indexOf(payer.card.id)]!;
    await owner().fund(payer, 100_000);
    const pay = () => attempt(owner(), createCommand(payer, payee, through('lunch', 1_000)));
    const attempts = await atOnce(4, pay);
    for (const index of [1, 0, 1]) {
      shared.shareOut(() => index);
      attempts.push(...(await atOnce(4, pay)));
    }
    expect(admitted(attempts)).toHaveLength(10);
    expectRefused(attempts);
  });

  it('given a pay that reached the amount, when it is delivered again, then it is answered with its payment', async () => {
    const [first, other] = [await limited(), await limited()];
    const [payer, payee] = await twoUsers();
    await first.fund(payer, 1_000);
    const command = createCommand(payer, payee, through('lunch', 100));
    const answer = await first.commands.create(command);
    for (const instance of [first, other]) {
      expect((await instance.commands.create(command)).payment).toEqual(answer.payment);
    }
  });

  it('given rows from before apps were kept, when read models are rebuilt, then the app of each payment and approval is there', async () => {
    const instance = await limited();
    const [payer, payee] = await twoUsers();
    await instance.fund(payer, 1_000);
    const { payment: paid } = await instance.create(payer, payee, through('lunch'));
    const { payment: request } = await instance.create(payee, payer, { action: 'charge' });
    await instance.commands.act(actCommand(payer, 'approve', request.id, through('lunch')));
    await lab.caughtUp();
    const apps = async () => {
      const { rows } = await lab.pool.query<{ app_id: string | null }>(
        `select app_id from payments where id = $1
         union all select app_id from ledger_entries where payment_id = $2 and wallet_id = $3`,
        [paid.id, request.id, payer.card.id],
      );
      return rows.map(({ app_id: appId }) => appId);
    };
    expect(await apps()).toEqual(['lunch', 'lunch']);
    await lab.pool.query('update payments set app_id = null');
    await lab.pool.query('update ledger_entries set app_id = null');
    const pay = () => attempt(instance, createCommand(payer, payee, through('lunch', 200)));
    const order = { models: READ_MODEL_NAMES, environment: 'live', acceptsDifferences: false } as const;
    expect(await rebuildReadModels(rebuildParts(lab, instance.store), order)).toMatchObject({
      comparisons: READ_MODEL_TABLES,
    });
    expect(await apps()).toEqual(['lunch', 'lunch']);
    expectRefused([await pay()]);
  });

  it('given users without such amounts, when they pay and approve, then no app is looked up', async () => {
    const instance = await limited();
    const [payer, payee] = await twoUsers();
    await instance.fund(payer, 10_000);
    const query = jest.spyOn(instance.pools.live.pool, 'query');
    for (let index = 0; index < 5; index += 1) {
      await instance.create(payer, payee);
      const { payment } = await instance.create(payee, payer, { action: 'charge' });
      await instance.act(payer, 'approve', payment.id);
    }
    const names = () => query.mock.calls.map(([asked]) => (asked as unknown as { name?: string }).name);
    expect(names()).not.toContain('spent-by-app');
    for (let index = 0; index < 5; index += 1) await instance.create(payer, payee, through('lunch', 5_000));
    expect(names().filter((name) => name === 'spent-by-app')).toHaveLength(1);
  });

  it('given RATE_LIMITS=off, when an app moves more than its amount, then nothing is refused', async () => {
    const instance = await limited({ env: { RATE_LIMITS: 'off' } });
    const [payer, payee] = await twoUsers();
    await instance.fund(payer, 1_000);
    const attempts = await atOnce(3, () => attempt(instance, createCommand(payer, payee, through('lunch', 100))));
    expect(admitted(attempts)).toHaveLength(3);
  });
});
