import type { UsersStateRecord } from '@settle/contracts';
import { LedgerLab, type LabInstance } from './ledger-lab.fixture.js';
import { LIVES, REFUND, type Life, type Scene } from './lives.fixture.js';
import { anEmail, createCommand, person, proves } from './people.fixture.js';
import { StoppingStore } from './stopping-store.fixture.js';

const MOST_ROUNDS = 5;

describe('a process that stops between two appends', () => {
  let lab: LedgerLab;
  let steady: LabInstance;
  let aheadMs = 0;

  beforeAll(async () => {
    lab = await LedgerLab.open();
    steady = await lab.instance({ nowMs: () => Date.now() + aheadMs });
  });
  afterAll(() => lab.close());

  /** Lives a life up to `stopAfter`; resolves with the payment's id and the steps that are stored. */
  async function live(
    life: Life,
    stopAfter: string | null,
    storesConcurrentFirst = false,
  ): Promise<Scene & { paymentId: string; stored: readonly string[] }> {
    let store: StoppingStore | undefined;
    const failing = await lab.instance({
      wrapStore: (inner) => (store = new StoppingStore(inner, storesConcurrentFirst)),
    });
    const [actor, target] = [person(life.actor), person(life.target)];
    await lab.know(actor, target);
    const [actorCents, targetCents] = life.cents ?? [0, 0];
    if (actorCents > 0) await steady.fund(actor, actorCents);
    if (targetCents > 0) await steady.fund(target, targetCents);
    const scene = {
      failing,
      steady,
      actor,
      target,
      know: (...records: readonly UsersStateRecord[]) => lab.know(...records),
    };
    const paymentId = (await life.before?.(scene)) ?? createCommand(actor, target).paymentId;
    store?.stopAfter(stopAfter);
    const running = life.run(scene, paymentId);
    if (stopAfter === null)
      await running.catch((error: unknown) => expect(error).toMatchObject({ code: 'insufficient_funds' }));
    else await expect(running).rejects.toThrow();
    const stored = [...(store?.steps ?? [])];
    await failing.stop();
    return { ...scene, paymentId, stored };
  }

  async function workOff(): Promise<void> {
    for (let round = 1; round <= MOST_ROUNDS; round += 1) {
      await lab.caughtUp();
      aheadMs += 60_000;
      if ((await steady.ledger.worker.runDueWork()) === 0) return;
    }
    throw new Error(`There is work left after ${MOST_ROUNDS} rounds of the worker`);
  }

  it.each(LIVES)('given no fault, when it lives through $mode, then it takes its steps one by one', async (life) => {
    expect((await live(life, null)).stored).toEqual(life.steps);
  });

  const stops = LIVES.flatMap((life) => life.steps.map((step, index) => ({ ...life, step, index })));

  it.each(stops)(
    'given $mode, stopped after $step, when another instance works on, then it is $status',
    async (life) => {
      const { paymentId, stored, actor, target } = await live(life, life.step);
      expect(stored).toEqual(life.steps.slice(0, life.index + 1));
      await workOff();
      const shown = await steady.view(actor, paymentId);
      expect(shown.status).toBe(life.status);
      expect([await steady.balance(actor), await steady.balance(target)]).toEqual(life.balances);
      const isHeldBack = life.steps.includes(REFUND);
      expect(shown.refund?.status ?? null).toBe(isHeldBack ? 'settled' : null);
    },
  );

  const creditedFirst = ['PaymentCreated', 'FundsDebited', 'FundsCredited', 'PaymentSettled'];

  it.each(LIVES)(
    'given a store that stores concurrent appends in the other order, when it lives through $mode, then only a pay from the balance is credited first',
    async (life) => {
      const expected = life.mode === 'pay from the balance' ? creditedFirst : life.steps;
      expect((await live(life, null, true)).stored).toEqual(expected);
    },
  );

  it('given a pay from the balance, stopped between its credit and PaymentSettled, when another instance works on, then it is settled', async () => {
    const [life] = LIVES;
    const { paymentId, stored, actor, target } = await live(life!, 'FundsCredited', true);
    expect(stored).toEqual(creditedFirst.slice(0, 3));
    await workOff();
    expect((await steady.view(actor, paymentId)).status).toBe('settled');
    expect([await steady.balance(actor), await steady.balance(target)]).toEqual(life!.balances);
  });

  it('given all of this, when the ledger is read over, then it is in order and nothing is left to finish', async () => {
    await lab.expectInOrder();
    expect((await lab.pool.query(`select * from open_work where act = 'finish'`)).rows).toEqual([]);
  });

  it('given a command whose process stopped, when it is delivered to another, then it is the same payment', async () => {
    const actor = person();
    const target = proves(person(), anEmail());
    let store: StoppingStore | undefined;
    const failing = await lab.instance({ wrapStore: (inner) => (store = new StoppingStore(inner)) });
    await lab.know(actor, target);
    await steady.fund(actor, 1_000);
    const command = createCommand(actor, target);
    store?.stopAfter('FundsDebited');
    await expect(failing.commands.create(command)).rejects.toThrow();
    await failing.stop();
    const { payment, balanceCents } = await steady.commands.create(command);
    expect([payment.id, payment.status, balanceCents]).toEqual([command.paymentId, 'settled', 900]);
    await lab.expectInOrder();
  });

  // Shows act-18, act-20
  it('given a payment that is not finished, when it is read and acted on, then it is pending, and finished first', async () => {
    const [actor, target] = [person(), person()];
    let store: StoppingStore | undefined;
    const failing = await lab.instance({ wrapStore: (inner) => (store = new StoppingStore(inner)) });
    await lab.know(actor, target);
    await steady.fund(actor, 1_000);
    const command = createCommand(actor, target);
    store?.stopAfter('PaymentCreated');
    await expect(failing.commands.create(command)).rejects.toThrow();
    await failing.stop();
    await lab.caughtUp();
    expect((await steady.view(actor, command.paymentId)).status).toBe('pending');
    await expect(steady.act(actor, 'cancel', command.paymentId)).rejects.toMatchObject({ code: 'payment_not_pending' });
    expect((await steady.view(actor, command.paymentId)).status).toBe('settled');
    expect([await steady.balance(actor), await steady.balance(target)]).toEqual([900, 100]);
    await lab.expectInOrder();
  });
});
