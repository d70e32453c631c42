import { beginBeforeUsAt, type DepositEvent, type WithdrawalEvent } from '@settle/payments-domain';
import type { UserRecord } from '@settle/contracts';
import { FundingLab, NO_HOLD } from '../ledger-lab/open-charges.fixture.js';
import type { LabInstance } from '../ledger-lab/ledger-lab.fixture.js';
import { StoppingStore } from '../ledger-lab/stopping-store.fixture.js';

const US_PER_MS = 1_000;
/** Money can be withdrawn as soon as it has come. */

describe('deposits, withdrawals and reversals', () => {
  let funding: FundingLab;
  let instance: LabInstance;
  let owner: UserRecord;
  let count = 0;

  beforeAll(async () => {
    funding = await FundingLab.open();
    instance = await funding.instance({ env: NO_HOLD });
  });
  beforeEach(async () => {
    Object.assign(funding.books, { nextCharge: 'approved', nextPayout: 'paid', losesAnswers: false, isAway: false });
    funding.books.saidCents = null;
    owner = (await funding.people()).payer;
    count += 1;
  });
  afterAll(() => funding.lab.close());

  const unitsOf = ({ ledger }: LabInstance) => {
    if (ledger.fundingUnits === null) throw new Error('No provider is set');
    return ledger.fundingUnits;
  };
  const facts = (amountCents: number) => ({ userId: owner.card.id, amountCents, sourceId: 'source-1', booking: null });
  const nowUs = () => (Date.now() + funding.aheadMs) * US_PER_MS;

  function deposit(by: LabInstance, id: string, amountCents = 500) {
    const atUs = nowUs();
    const data = { ...facts(amountCents), beginBeforeUs: beginBeforeUsAt(atUs), atUs };
    const event: DepositEvent = { type: 'DepositRequested', data };
    return unitsOf(by).runner.begin({ kind: 'deposit', id, event });
  }

  function withdraw(by: LabInstance, id: string, amountCents = 500, needsReview = false) {
    const data = { ...facts(amountCents), needsReview, atUs: nowUs() };
    const event: WithdrawalEvent = { type: 'WithdrawalRequested', data };
    return unitsOf(by).runner.begin({ kind: 'withdrawal', id, event });
  }

  /** Lets time pass, then works until nothing is due. */
  async function later(ms = 3_600_000): Promise<void> {
    await funding.lab.caughtUp();
    funding.aheadMs += ms;
    for (let round = 0; round < 8 && (await unitsOf(instance).worker.runDue()) > 0; round += 1) {
      await funding.lab.caughtUp();
    }
  }

  async function balance(): Promise<number> {
    await funding.lab.caughtUp();
    return instance.balance(owner);
  }

  async function statusOf(id: string): Promise<string | undefined> {
    await funding.lab.caughtUp();
    const { rows } = await funding.lab.pool.query<{ status: string }>('select status from funding where id = $1', [id]);
    return rows[0]?.status;
  }

  async function expectInOrder(): Promise<void> {
    const { fundingCents } = await funding.lab.expectInOrder();
    expect(fundingCents).toBe(funding.books.heldCents - funding.books.paidOutCents);
  }

  it('given an approved charge, when a deposit is requested twice at once, then the money comes once', async () => {
    const other = await funding.instance({ env: NO_HOLD });
    await Promise.all([deposit(instance, `d${count}`), deposit(other, `d${count}`), deposit(instance, `d${count}`)]);
    await other.stop();
    expect(await balance()).toBe(500);
    expect(await statusOf(`d${count}`)).toBe('settled');
    await expectInOrder();
  });

  it('given a declined charge, when a deposit is requested, then it fails and the balance stays', async () => {
    funding.books.nextCharge = 'declined';
    await deposit(instance, `d${count}`);
    expect(await statusOf(`d${count}`)).toBe('failed');
    expect(await funding.walletEvents(owner)).toEqual([]);
    await expectInOrder();
  });

  it('given lost answers, when the worker asks again, then the deposit is settled once', async () => {
    funding.books.losesAnswers = true;
    expect((await deposit(instance, `d${count}`)).waitsFor).toBe('provider');
    funding.books.losesAnswers = false;
    await later();
    expect(await balance()).toBe(500);
    await expectInOrder();
  });

  it('given a request that never arrived, when its time is over, then a deposit fails and a withdrawal is back', async () => {
    await deposit(instance, `d${count}`);
    funding.books.isAway = true;
    await deposit(instance, `d${count}-lost`);
    await withdraw(instance, `w${count}`);
    expect(await balance()).toBe(0);
    funding.books.isAway = false;
    await later();
    expect(await statusOf(`d${count}-lost`)).toBe('failed');
    expect(await statusOf(`w${count}`)).toBe('failed');
    expect(await balance()).toBe(500);
    await expectInOrder();
  });

  it('given another amount in the answer, when a deposit is requested, then nothing moves and a contradiction is stored', async () => {
    funding.books.saidCents = 499;
    await deposit(instance, `d${count}`);
    await later(3_000);
    expect(await balance()).toBe(0);
    const { rows } = await funding.lab.pool.query('select kind, reason from funding where id = $1 order by kind', [
      `d${count}`,
    ]);
    expect(rows).toEqual([
      { kind: 'contradiction', reason: 'other_amount' },
      { kind: 'deposit', reason: null },
    ]);
    funding.books.saidCents = null;
    await later();
    await expectInOrder();
  });

  it('given too little money, when two withdrawals race, then one is paid and the other is not covered', async () => {
    await deposit(instance, `d${count}`);
    const other = await funding.instance({ env: NO_HOLD });
    await Promise.all([withdraw(instance, `w${count}a`), withdraw(other, `w${count}b`)]);
    await later();
    await other.stop();
    const statuses = [await statusOf(`w${count}a`), await statusOf(`w${count}b`)];
    expect(statuses.sort()).toEqual(['failed', 'paid']);
    expect(await balance()).toBe(0);
    await expectInOrder();
  });

  it('given a payout that fails, when it was asked for, then the money is balance again', async () => {
    await deposit(instance, `d${count}`);
    funding.books.nextPayout = 'failed';
    await withdraw(instance, `w${count}`);
    expect(await statusOf(`w${count}`)).toBe('failed');
    expect(await balance()).toBe(500);
    await expectInOrder();
  });

  it('given a withdrawal that needs a review, when requested, then its money is held and no payout is asked for', async () => {
    await deposit(instance, `d${count}`);
    expect((await withdraw(instance, `w${count}`, 500, true)).waitsFor).toBe('review');
    await later();
    expect(funding.books.payouts.has(`w${count}`)).toBe(false);
    expect((await funding.lab.expectInOrder()).payoutCents).toBe(500);
  });

  it.each(['DepositRequested', 'DepositSettled', 'FundsAdded'])(
    'given a process that stops after %s, when another works on, then the deposit is done once',
    async (step) => {
      let store: StoppingStore | undefined;
      const failing = await funding.instance({
        env: NO_HOLD,
        wrapStore: (inner) => (store = new StoppingStore(inner)),
      });
      store?.stopAfter(step);
      await expect(deposit(failing, `d${count}`)).rejects.toThrow();
      await later(5_000);
      expect(await balance()).toBe(500);
      await failing.stop();
      await funding.lab.expectInOrder();
    },
  );

  it.each(['WithdrawalRequested', 'FundsWithdrawn', 'PayoutRequested', 'WithdrawalPaid'])(
    'given a process that stops after %s, when another works on, then the withdrawal is paid once',
    async (step) => {
      await deposit(instance, `d${count}`);
      let store: StoppingStore | undefined;
      const failing = await funding.instance({
        env: NO_HOLD,
        wrapStore: (inner) => (store = new StoppingStore(inner)),
      });
      store?.stopAfter(step);
      await expect(withdraw(failing, `w${count}`)).rejects.toThrow();
      await later(5_000);
      expect(await statusOf(`w${count}`)).toBe('paid');
      expect(await balance()).toBe(0);
      await failing.stop();
      await funding.lab.expectInOrder();
    },
  );

  it('given a deposit that was spent, when its charge is reversed twice over, then the balance falls below zero once', async () => {
    await deposit(instance, `d${count}`);
    await withdraw(instance, `w${count}`);
    const id = `r${count}`;
    const opened = { chargeKey: `d${count}`, paymentId: null, fundingId: `d${count}`, ...facts(500), atUs: nowUs() };
    const { runner } = unitsOf(instance);
    await runner.begin({ kind: 'reversal', id, event: { type: 'ReversalOpened', data: opened } });
    expect(await balance()).toBe(-500);
    await runner.begin({ kind: 'reversal', id, event: { type: 'ReversalOpened', data: opened } });
    expect(await balance()).toBe(-500);
    await funding.lab.expectInOrder();
  });
});
