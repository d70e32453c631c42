import type { UserRecord } from '@settle/contracts';
import { PostgresEventStore } from '@settle/event-store';
import { bankIdOf } from '../../src/operators/funding/book-transfer.js';
import type { LabInstance } from '../ledger-lab/ledger-lab.fixture.js';
import { FundingLab } from '../ledger-lab/open-charges.fixture.js';
import { OperatorDesk } from './operator.fixture.js';

describe('bank transfers that an operator books', () => {
  let funding: FundingLab;
  let instance: LabInstance;
  let desk: OperatorDesk;
  let owner: UserRecord;
  let count = 0;
  let reference = '';

  beforeAll(async () => {
    funding = await FundingLab.open();
    instance = await funding.instance();
    desk = new OperatorDesk(funding, instance);
  });
  beforeEach(async () => {
    owner = (await funding.people()).payer;
    reference = `RF-${(count += 1)}`;
  });
  afterAll(() => funding.lab.close());

  /** Lets the worker finish everything that is stored. */
  async function finish(): Promise<void> {
    await funding.lab.caughtUp();
    funding.aheadMs += 5_000;
    for (let round = 0; round < 8 && (await instance.ledger.fundingUnits?.worker.runDue()) !== 0; round += 1) {
      await funding.lab.caughtUp();
    }
  }

  async function balance(): Promise<number> {
    await funding.lab.caughtUp();
    return instance.balance(owner);
  }

  async function events(kind: 'deposit' | 'withdrawal'): Promise<{ type: string; data: Record<string, unknown> }[]> {
    const { rows } = await funding.lab.pool.query<{ type: string; data: string }>(
      'select type, data::text as data from events where stream = $1 order by revision',
      [`${kind}-${bankIdOf(reference)}`],
    );
    return rows.map(({ type, data }) => ({ type, data: JSON.parse(data) as Record<string, unknown> }));
  }

  it('given a dry run, when a deposit is booked, then it says what it would do and nothing is stored', async () => {
    const { code, said } = await desk.book('deposit', owner.card.id, { reference, isConfirmed: false });
    expect([code, said]).toEqual([0, expect.stringMatching(/: \$5\.00 to the balance of .*Nothing was stored/s)]);
    expect(await events('deposit')).toEqual([]);
  });

  it('given a username, when a deposit is booked twice, then the money comes once, and the event names the operator', async () => {
    expect(await desk.book('deposit', owner.card.username, { reference })).toMatchObject({ code: 0, error: null });
    await finish();
    const again = await desk.book('deposit', owner.card.username, { reference });
    expect([again.code, again.said]).toEqual([0, expect.stringContaining('booked already; nothing was stored')]);
    await finish();
    expect(await balance()).toBe(500);
    expect(await events('deposit')).toEqual([
      {
        type: 'DepositRequested',
        data: expect.objectContaining({
          ...{ userId: owner.card.id, amountCents: 500, sourceId: 'bank' },
          booking: { operator: 'jo', reason: 'came by bank', reference },
        }),
      },
      { type: 'DepositSettled', data: expect.anything() },
    ]);
    await funding.lab.expectInOrder();
  });

  it('given a reference that is stored, when it is booked with another amount or user, then the error says what is stored', async () => {
    const { payee } = await funding.people();
    await desk.book('deposit', owner.card.id, { reference });
    const stored = `deposit ${bankIdOf(reference)} of $5.00 for the user ${owner.card.id}`;
    for (const ended of [
      await desk.book('deposit', owner.card.id, { reference, amount: '6' }),
      await desk.book('deposit', payee.card.id, { reference }),
    ]) {
      expect(ended).toMatchObject({ code: null, error: expect.stringContaining(stored) });
    }
    await finish();
    expect(await balance()).toBe(500);
  });

  it('given two operators at once, when they book the same reference, then it is booked once', async () => {
    const other = new OperatorDesk(funding, await funding.instance());
    const ended = await Promise.all([
      desk.book('deposit', owner.card.id, { reference }),
      other.book('deposit', owner.card.id, { reference }),
    ]);
    expect(ended.map(({ code }) => code)).toEqual([0, 0]);
    await finish();
    expect(await balance()).toBe(500);
  });

  it('given two operators at once, when they book different amounts, then one of them gets an error', async () => {
    const ended = await Promise.all([
      desk.book('deposit', owner.card.id, { reference, amount: '5' }),
      desk.book('deposit', owner.card.id, { reference, amount: '6' }),
    ]);
    expect(ended.filter(({ error }) => error?.includes('This reference is stored'))).toHaveLength(1);
    await finish();
    expect([500, 600]).toContain(await balance());
  });

  it('given a balance, when a withdrawal is booked twice, then it is paid once', async () => {
    await desk.book('deposit', owner.card.id, { reference, amount: '8' });
    await finish();
    expect(await desk.book('withdraw', owner.card.id, { reference })).toMatchObject({ code: 0 });
    await finish();
    const again = await desk.book('withdraw', owner.card.id, { reference });
    expect([again.code, again.said]).toEqual([0, expect.stringMatching(/withdrawal bank-\w{32}: paid$/)]);
    expect(await balance()).toBe(300);
    expect(funding.books.payouts.size).toBe(0);
    await funding.lab.expectInOrder();
  });

  it('given too little money, when a withdrawal is booked, then it is refused and nothing is stored', async () => {
    const { code, error } = await desk.book('withdraw', owner.card.id, { reference });
    expect([code, error]).toEqual([null, expect.stringContaining('does not cover $5.00: nothing is paid')]);
    expect(await events('withdrawal')).toEqual([]);
  });

  it('given money that is spent before the worker comes, when a withdrawal was booked, then it fails and a repetition says so', async () => {
    await desk.book('deposit', owner.card.id, { reference });
    await finish();
    await desk.book('withdraw', owner.card.id, { reference });
    await desk.book('withdraw', owner.card.id, { reference: `${reference}-b` });
    await finish();
    const ended = [
      await desk.book('withdraw', owner.card.id, { reference }),
      await desk.book('withdraw', owner.card.id, { reference: `${reference}-b` }),
    ];
    expect(ended.filter(({ error }) => error?.includes('was not covered: nothing was paid'))).toHaveLength(1);
    expect(await balance()).toBe(0);
    await funding.lab.expectInOrder();
  });

  it('given a product without a provider that runs, when transfers are booked, then it finishes them', async () => {
    const { fundingUnits, fundingWorker } = (await funding.instance({ provider: null })).ledger;
    expect(fundingUnits).toBeNull();
    fundingWorker?.start();
    const waiting = new OperatorDesk(funding, instance, { outcomeWaitMs: 30_000 });
    const deposit = await waiting.book('deposit', owner.card.id, { reference });
    expect(deposit.said).toMatch(/deposit bank-\w{32}: settled$/);
    const withdrawal = await waiting.book('withdraw', owner.card.id, { reference, amount: '2.00' });
    expect(withdrawal.said).toMatch(/withdrawal bank-\w{32}: paid$/);
    expect(await balance()).toBe(300);
    await fundingWorker?.stop();
    await funding.lab.expectInOrder();
  });

  it('given a product that runs, when a deposit is booked, then the command waits and prints the outcome', async () => {
    instance.ledger.fundingUnits?.worker.start();
    const waiting = new OperatorDesk(funding, instance, { outcomeWaitMs: 30_000 });
    const { said } = await waiting.book('deposit', owner.card.id, { reference });
    expect(said).toMatch(/deposit bank-\w{32}: settled$/);
    expect(await balance()).toBe(500);
  });

  it('given an unknown user, when a deposit is booked, then one line says so', async () => {
    for (const user of ['no-such-user', '1', "x' or true --"]) {
      const { code, error } = await desk.book('deposit', user, { reference });
      expect([code, error]).toEqual([null, expect.stringMatching(/^There is no user "[^\n]*$/)]);
    }
  });

  it('given no product, when a deposit is booked, then the command says that it is finished after the next start', async () => {
    await funding.lab.stopInstances();
    const store = await PostgresEventStore.open({ url: funding.lab.url });
    const { said } = await new OperatorDesk(funding, { store }).book('deposit', owner.card.id, { reference });
    await store.close();
    expect(said).toMatch(/No payments-service runs on this database: it is finished after the next start$/);
    expect(await events('deposit')).toHaveLength(1);
  });
});
