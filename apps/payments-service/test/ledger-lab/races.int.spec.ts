import { SettleError, type PaymentStatus, type UserRecord } from '@settle/contracts';
import { claimAction, expiryAction } from '../../src/commands/payment-actions.js';
import { LedgerLab, type LabInstance } from './ledger-lab.fixture.js';
import { anEmail, person } from './people.fixture.js';

/** `npm run test:faults` runs 1,000. */
const ROUNDS = process.env['FAULTS'] === 'long' ? 1_000 : 300;
const CONCURRENCY = 16;
const US_PER_DAY = 86_400_000_000;
const LOST = ['payment_not_pending', 'resource_not_found', 'not_permitted'];

/** The two sides of a race: a requester or payer, and an approver or claimant. */
interface Racers {
  readonly actor: UserRecord;
  readonly target: UserRecord;
}

type Contender = (instance: LabInstance, racers: Racers, paymentId: string) => Promise<unknown>;

const approve: Contender = (instance, { target }, paymentId) => instance.act(target, 'approve', paymentId);
const cancel: Contender = (instance, { actor }, paymentId) => instance.act(actor, 'cancel', paymentId);
const deny: Contender = (instance, { target }, paymentId) => instance.act(target, 'deny', paymentId);
/** The others read before they decide. Half of the expiries do so too, or they would win nearly every race. */
const expire: Contender = async (instance, { actor }, paymentId) => {
  const { ledger } = instance;
  if (BigInt(paymentId) % 2n === 0n) await instance.view(actor, paymentId);
  return ledger.transfers.advance(
    paymentId,
    expiryAction(null, 30 * US_PER_DAY, ledger.clock.nowUs() + 31 * US_PER_DAY),
  );
};
const claim: Contender = ({ ledger }, { target }, paymentId) =>
  ledger.transfers.advance(paymentId, claimAction(target.card.id, ledger.clock.nowUs()));

interface Race {
  readonly between: string;
  readonly isHeld: boolean;
  readonly contenders: readonly [Contender, Contender];
  /** How it may end, by which contender. */
  readonly ends: readonly [PaymentStatus, PaymentStatus];
}

const RACES: readonly Race[] = [
  { between: 'approve and cancel', isHeld: false, contenders: [approve, cancel], ends: ['settled', 'cancelled'] },
  { between: 'approve and expiry', isHeld: false, contenders: [approve, expire], ends: ['settled', 'expired'] },
  { between: 'approve and deny', isHeld: false, contenders: [approve, deny], ends: ['settled', 'cancelled'] },
  { between: 'two approvals', isHeld: false, contenders: [approve, approve], ends: ['settled', 'settled'] },
  { between: 'claim and cancel', isHeld: true, contenders: [claim, cancel], ends: ['settled', 'cancelled'] },
  { between: 'claim and expiry', isHeld: true, contenders: [claim, expire], ends: ['settled', 'expired'] },
];

describe('two who end one payment at once, on two instances', () => {
  let lab: LedgerLab;
  let instances: readonly [LabInstance, LabInstance];

  beforeAll(async () => {
    lab = await LedgerLab.open();
    instances = [await lab.instance(), await lab.instance()];
  });
  afterAll(() => lab.close());

  async function racers(): Promise<Racers> {
    const racing = { actor: person(), target: person() };
    await lab.know(racing.actor, racing.target);
    await instances[0].fund(racing.actor, ROUNDS * 100);
    await instances[1].fund(racing.target, ROUNDS * 100);
    return racing;
  }

  /** Runs one round; resolves with the number of contenders that succeeded. */
  async function round(
    race: Race,
    racing: Racers,
    { number, payments }: { number: number; payments: string[] },
  ): Promise<number> {
    const target = race.isHeld ? anEmail() : racing.target;
    const creator = instances[number % 2] ?? instances[0];
    const { payment } = await creator.create(racing.actor, target, { action: race.isHeld ? 'pay' : 'charge' });
    payments.push(payment.id);
    const order = number % 4 < 2 ? [0, 1] : [1, 0];
    const told = await Promise.allSettled(
      order.map((place) => {
        const [instance, contender] = [instances[place], race.contenders[place]];
        if (instance === undefined || contender === undefined) throw new RangeError(`There is no contender ${place}`);
        return contender(instance, racing, payment.id);
      }),
    );
    for (const answer of told) if (answer.status === 'rejected') expectLost(answer.reason);
    return told.filter(({ status }) => status === 'fulfilled').length;
  }

  // Shows act-20, act-35
  it.each(RACES)(
    `given ${ROUNDS} rounds of $between, when they race, then each has one winner and the money is in one place`,
    async (race) => {
      const before = await lab.expectInOrder();
      const winners = new Set<number>();
      const payments: string[] = [];
      let started = 0;
      const runRounds = async () => {
        const racing = await racers();
        while (started < ROUNDS) winners.add(await round(race, racing, { number: started++, payments }));
      };
      await Promise.all(Array.from({ length: Math.min(CONCURRENCY, ROUNDS) }, runRounds));
      const isSame = race.ends[0] === race.ends[1];
      expect(winners).toEqual(new Set([isSame ? 2 : 1]));
      const after = await lab.expectInOrder();
      expect(after.transitCents).toBe(0);
      expect(after.walletCents).toBe(after.fundingCents);
      expect(after.fundingCents - before.fundingCents).toBe(Math.min(CONCURRENCY, ROUNDS) * 2 * ROUNDS * 100);
      const { rows } = await lab.pool.query<{ status: PaymentStatus }>(
        'select distinct status from payments where id = any($1)',
        [payments],
      );
      // Both sides win now and then, or it was no race.
      expect(new Set(rows.map(({ status }) => status))).toEqual(new Set(race.ends));
    },
    300_000,
  );
});

/** The loser gets its error, and nothing else fails. */
function expectLost(reason: unknown): void {
  if (!(reason instanceof SettleError)) throw reason;
  expect(LOST).toContain(reason.code);
}
