import { eventually } from '@settle/testing';
import { APPROVED, SECOND_MS, startProvider, type RunningProvider } from '../../test/provider.fixture.js';

let running: RunningProvider;

beforeEach(async () => {
  running = await startProvider();
});
afterEach(() => running.close());

const passTime = () => (running.clock.nowMs += 3 * SECOND_MS);

describe('repayments and payouts', () => {
  it.each([
    [APPROVED, 'paid', null, null],
    ['4000000000007031', 'failed', 'other', null],
    ['4000003720000278', 'pending', null, 'paid'],
    ['4000000000007049', 'pending', null, 'failed'],
    ['4000000000007056', 'paid', null, 'returned'],
    ['4000000000007064', 'failed', 'other', null],
  ])(
    'given the card %s, when a payout is requested, then it is %s (%s) and later: %s',
    async (number, state, code, end) => {
      const { client } = running;
      const source = await client.addSource(number);
      const payout = await client.payOut('w1', source);
      expect(payout).toMatchObject({ state, code, amount: 1_000, version: 1 });
      expect(await client.payOut('w1', source)).toEqual(payout);
      await expect(client.payOut('w1', source, 1)).rejects.toThrow('409');
      if (end === null) return;
      passTime();
      await eventually(async () => expect((await client.readPayout('w1')).state).toBe(end));
    },
  );

  it('given a charge, when parts are repaid, then no more than the charge is', async () => {
    const { client } = running;
    await client.chargeCard(APPROVED, 'c1');
    expect(await client.repay('r1', 'c1', 600)).toMatchObject({ state: 'paid', charge_key: 'c1' });
    expect(await client.repay('r2', 'c1', 401)).toMatchObject({ state: 'failed' });
    expect(await client.repay('r3', 'c1', 400)).toMatchObject({ state: 'paid' });
    expect(await client.repay('r4', 'c1', 1)).toMatchObject({ state: 'failed' });
    expect(await client.repay('r2', 'c1', 401)).toMatchObject({ state: 'failed', version: 1 });
  });

  it('given a source that was removed, when its charge is repaid, then the repayment is paid', async () => {
    const { client } = running;
    const source = await client.addSource(APPROVED);
    await client.charge('c1', source);
    await client.send('POST', `/sources/${source}/end`, { key: source });
    expect(await client.repay('r1', 'c1')).toMatchObject({ state: 'paid' });
  });

  it('given a charge that is not known or not approved, when it is repaid, then the repayment fails', async () => {
    const { client } = running;
    await client.chargeCard('4000000000000002', 'declined');
    expect(await client.repay('r1', 'declined')).toMatchObject({ state: 'failed' });
    expect(await client.repay('r2', 'unknown')).toMatchObject({ state: 'failed' });
  });

  it('given a repayment that fails later, when another is requested, then it can take the amount', async () => {
    const { client } = running;
    await client.chargeCard('4000000000007049', 'c1');
    expect(await client.repay('r1', 'c1')).toMatchObject({ state: 'pending' });
    expect(await client.repay('r2', 'c1')).toMatchObject({ state: 'failed' });
    passTime();
    await eventually(async () => expect((await client.readRepayment('r1')).state).toBe('failed'));
    expect(await client.repay('r3', 'c1')).toMatchObject({ state: 'pending' });
  });
});

describe('reversals', () => {
  it.each([
    ['4000000000000259', 1_000, 'lost'],
    ['4000000000002685', 1_000, 'won'],
  ] as const)(
    'given the card %s, when time passes, then %s cents are reversed, and it is %s',
    async (number, amount, end) => {
      const { client } = running;
      await client.chargeCard(number, 'c1');
      passTime();
      const reversal = await client.reversal();
      expect(reversal).toMatchObject({ charge_key: 'c1', state: 'open', amount, currency: 'USD' });
      expect(await client.repay('r1', 'c1')).toMatchObject({ state: 'failed' });
      passTime();
      await eventually(async () => expect((await client.readReversal(reversal.id)).state).toBe(end));
      expect((await client.repay('r2', 'c1')).state).toBe(end === 'won' ? 'paid' : 'failed');
      expect(await client.readCharge('c1')).toMatchObject({ state: 'approved', version: 1 });
    },
  );

  it('given a card of which half is reversed, when a part was repaid, then no more than the rest is reversed', async () => {
    const { client } = running;
    await client.chargeCard('4000000000005423', 'c1');
    await client.repay('r1', 'c1', 700);
    passTime();
    expect(await client.reversal()).toMatchObject({ state: 'open', amount: 300 });
  });
});
