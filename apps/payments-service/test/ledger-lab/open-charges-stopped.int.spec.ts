import type { ChargeProviderState } from '@settle/payments-domain';
import type { PaymentView, UserRecord } from '@settle/contracts';
import type { LabInstance } from './ledger-lab.fixture.js';
import { REFUND } from './lives.fixture.js';
import { FundingLab } from './open-charges.fixture.js';
import { anEmail } from './people.fixture.js';
import { StoppingStore } from './stopping-store.fixture.js';

/** Longer than any command: the response comes after the provider's answer. */
const WHOLE_WAIT_MS = 3_600_000;

interface Scene {
  readonly funding: FundingLab;
  readonly steady: LabInstance;
  readonly failing: LabInstance;
  readonly payer: UserRecord;
  readonly payee: UserRecord;
}

interface Life {
  readonly name: string;
  readonly says: ChargeProviderState;
  /** The appends of the process in order; it is stopped after each of them in turn. */
  readonly steps: readonly string[];
  /** Creates the payment, if it is there before the command in which the process is stopped. */
  readonly before?: (scene: Scene) => Promise<string>;
  readonly run: (scene: Scene, paymentId: string) => Promise<unknown>;
  readonly status: PaymentView['status'];
  readonly balances: readonly [payer: number, payee: number];
  /** Cents that the provider has taken in the end. */
  readonly takenCents: number;
}

const pay = ({ failing, payer, payee }: Scene) => failing.create(payer, payee);
const requested = async ({ steady, payer, payee }: Scene) =>
  (await steady.create(payee, payer, { action: 'charge' })).payment.id;
const held = async ({ steady, payer }: Scene) => (await steady.create(payer, anEmail())).payment.id;
const cancelledWhileOpen = async (scene: Scene) => {
  const { funding, steady, payer } = scene;
  funding.books.ignoresCancels = true;
  const id = await held(scene);
  await steady.act(payer, 'cancel', id);
  funding.books.decide(`${id}:${payer.card.id}:1`, 'approved');
  return id;
};

const REPAID = 'FundsReturned+FundsWithdrawn';
const FUNDED = ['FundingRequested', 'FundsAdded+FundsDebited', 'PaymentSettled', 'FundsCredited'];
const LIVES: readonly Life[] = [
  {
    name: 'a pay that is approved',
    says: 'approved',
    steps: ['PaymentCreated', ...FUNDED],
    run: pay,
    status: 'settled',
    balances: [0, 100],
    takenCents: 100,
  },
  {
    name: 'a pay that is declined',
    says: 'declined',
    steps: ['PaymentCreated', 'FundingRequested', 'DebitRefused', 'PaymentFailed'],
    run: pay,
    status: 'failed',
    balances: [0, 0],
    takenCents: 0,
  },
  {
    name: 'an approval that is approved',
    says: 'approved',
    steps: FUNDED,
    before: requested,
    run: ({ failing, payer }, paymentId) => failing.act(payer, 'approve', paymentId),
    status: 'settled',
    balances: [0, 100],
    takenCents: 100,
  },
  {
    name: 'the cancellation of a held pay',
    says: 'approved',
    steps: ['PaymentCancelled', 'RepaymentRequested', REPAID, REFUND],
    before: held,
    run: ({ failing, payer }, paymentId) => failing.act(payer, 'cancel', paymentId),
    status: 'cancelled',
    balances: [0, 0],
    takenCents: 0,
  },
  {
    name: 'an approval that comes after the cancellation',
    says: 'pending',
    steps: ['FundsAdded+FundsDebited+RepaymentRequested', REPAID],
    before: cancelledWhileOpen,
    run: ({ failing, payer }, paymentId) => failing.ledger.funding!.followChange(paymentId, payer.card.id),
    status: 'cancelled',
    balances: [0, 0],
    takenCents: 0,
  },
];

const stops = LIVES.flatMap((life) => life.steps.map((step, index) => ({ ...life, step, index })));

describe('a process that stops while it funds a payment', () => {
  let funding: FundingLab;
  let steady: LabInstance;

  beforeAll(async () => {
    funding = await FundingLab.open();
    steady = await funding.instance({ waitMs: WHOLE_WAIT_MS });
  });
  afterAll(() => funding.lab.close());

  it.each(stops)(
    'given $name, stopped after $step, when another instance works on, then it is $status',
    async (life) => {
      let store: StoppingStore | undefined;
      const failing = await funding.instance({
        waitMs: WHOLE_WAIT_MS,
        wrapStore: (inner) => (store = new StoppingStore(inner)),
      });
      const { payer, payee } = await funding.people();
      const { books } = funding;
      [books.nextCharge, books.ignoresCancels] = [life.says, false];
      const takenCents = books.heldCents;
      const scene = { funding, steady, failing, payer, payee };
      const existingId = (await life.before?.(scene)) ?? null;
      store?.stopAfter(life.step);
      await expect(life.run(scene, existingId ?? '')).rejects.toThrow();
      expect(store?.steps).toEqual(life.steps.slice(0, life.index + 1));
      await failing.stop();
      // While the provider still begins what was requested.
      for (let round = 1; round <= 3; round += 1) await funding.later(steady, 2_500);
      const { rows } = await funding.lab.pool.query<{ id: string; status: string }>(
        'select id, status from payments where actor_id in ($1, $2) and refund_of is null',
        [payer.card.id, payee.card.id],
      );
      expect(rows.map(({ status }) => status)).toEqual([life.status]);
      expect([await steady.balance(payer), await steady.balance(payee)]).toEqual(life.balances);
      expect(books.heldCents - takenCents).toBe(life.takenCents);
    },
  );

  it('given all of this, when the ledger is read over, then it is in order and no work is left', async () => {
    await funding.expectInOrder();
    const { rows } = await funding.lab.pool.query(`select * from open_work where act <> 'expire'`);
    expect(rows).toEqual([]);
  });
});
