import { readFile } from 'node:fs/promises';
import { FROM_US, HOUR_US, NOON_US, ReconcileLab, TO_US, statementOf, timeOf, type Row } from './statement.fixture.js';

const MINUTE_US = 60_000_000;
const PAYMENT = '111111111111111111';

describe('the reconciliation with a statement', () => {
  let lab: ReconcileLab;
  beforeEach(async () => (lab = await ReconcileLab.open()));
  afterEach(() => lab.close());

  const bought = (number: number): string => `${PAYMENT}:222222222222222222:${number}`;
  const data = { paymentId: PAYMENT, balanceCents: 0, atUs: NOON_US };
  const deposit = { userId: '9', amountCents: 500, sourceId: 's', booking: null, beginBeforeUs: 9, atUs: NOON_US };

  it('given equal books of every kind, when compared, then both sides agree and the sums add up', async () => {
    await lab.charge(bought(1), 1_000);
    const repayment = { chargeKey: bought(1), key: 'r1', fundingId: null, beginBeforeUs: 9 };
    const reversal = { reversalId: 'rv', chargeKey: bought(2), amountCents: 40 };
    await lab.inWallet(
      { type: 'RepaymentRequested', data: { ...data, ...repayment } },
      { type: 'FundsReturned', data: { ...data, amountCents: 1_000, feeCents: 0 } },
      {
        type: 'FundsWithdrawn',
        data: { ...data, chargeKey: bought(1), repaymentKey: 'r1', amountCents: 1_000, sourceId: 's' },
      },
      { type: 'FundsReversed', data: { ...data, ...reversal } },
      { type: 'ReversalReturned', data: { ...data, ...reversal } },
      {
        type: 'WithdrawalReversed',
        data: { ...data, paymentId: null, fundingId: 'w1', amountCents: 300, wasPaid: true },
      },
      {
        type: 'FundsAdded',
        data: { ...data, paymentId: null, fundingId: 'bank-1', sourceId: 'bank', attempt: 0, amountCents: 70 },
      },
      { type: 'FundsAdded', data: { ...data, paymentId: null, sourceId: 'demo', attempt: 0, amountCents: 90 } },
    );
    await lab.begin(
      {
        kind: 'withdrawal',
        id: 'w1',
        event: { type: 'WithdrawalRequested', data: { ...deposit, amountCents: 300, needsReview: false } },
      },
      {
        kind: 'withdrawal',
        id: 'w1',
        event: { type: 'PayoutRequested', data: { key: 'w1', beginBeforeUs: 9, atUs: NOON_US } },
      },
      { kind: 'withdrawal', id: 'w1', event: { type: 'WithdrawalPaid', data: { atUs: NOON_US } } },
    );
    const rows: readonly Row[] = [
      [bought(1), 'charge', 1_000],
      ['r1', 'repayment', 1_000],
      ['w1', 'payout', 300],
      ['w1', 'payout_return', 300],
      [bought(2), 'reversal', 40, { id: 'rv' }],
      [bought(2), 'reversal_won', 40, { id: 'rv' }],
      ['f1', 'fee', 12],
      ['s1', 'settlement', 25],
    ];
    const { code, said } = await lab.reconcile(statementOf(rows));
    expect(said).toContain(
      'moved here within the period: $0.00\n  fees: -$0.12\n  settlements: -$0.25\nmoved by the statement: -$0.37, from $0.00 to -$0.37',
    );
    expect(said).toContain(
      'bank transfers booked by operators, of which the provider knows nothing: $0.70 in, $0.00 out',
    );
    expect(said).toContain('demo and test money, of which the provider knows nothing: $0.90 in, $0.00 out');
    expect([code, said]).toEqual([
      0,
      expect.stringMatching(/missing here: 0\nmissing there: 0\nother amount: 0\nother state: 0\nBoth sides agree$/),
    ]);
  });

  it('given a difference of each kind, when compared, then each is printed with what it belongs to, and the sums add up', async () => {
    await lab.charge(bought(1), 1_000);
    await lab.charge(bought(2), 2_000);
    await lab.inWallet({ type: 'FundingDeclined', data: { ...data, attempt: 3, chargeKey: bought(3) } });
    await lab.begin({ kind: 'deposit', id: 'd-1', event: { type: 'DepositRequested', data: deposit } });
    const report = lab.path('report.csv');
    const rows: readonly Row[] = [
      [bought(2), 'charge', 2_100],
      [bought(3), 'charge', 300],
      ['d-1', 'charge', 500],
      ['d-9', 'charge', 70],
    ];
    const { code, said } = await lab.reconcile(statementOf(rows), report);
    const at = timeOf(NOON_US);
    expect(said.split('\n').slice(0, 5).sort()).toEqual([
      `missing here: charge d-9 (line 5), here nothing, there approved $0.70 at ${at}; deposit or withdrawal d-9`,
      `missing there: charge ${bought(1)}, here booked $10.00 at ${at}, there nothing; payment ${PAYMENT}`,
      `other amount: charge ${bought(2)} (line 2), here booked $20.00 at ${at}, there approved $21.00 at ${at}; payment ${PAYMENT}`,
      `other state: charge ${bought(3)} (line 3), here refused at ${at}, there approved $3.00 at ${at}; payment ${PAYMENT}`,
      `other state: charge d-1 (line 4), here requested $5.00 at ${at}, there approved $5.00 at ${at}; deposit d-1`,
    ]);
    expect(said).toContain(
      [
        'moved here within the period: $30.00',
        '  missing here: $0.70',
        '  missing there: -$10.00',
        '  other amount: $1.00',
        '  other state: $8.00',
        'moved by the statement: $29.70, from $0.00 to $29.70',
      ].join('\n'),
    );
    expect(code).toBe(1);
    const lines = (await readFile(report, 'utf8')).trim().split('\n');
    expect(lines).toHaveLength(6);
    expect(lines).toContain(`missing_here,charge,d-9,id-d-9,5,,70,,approved,,${at},deposit or withdrawal d-9`);
    await expect(lab.reconcile(statementOf(rows), report)).rejects.toThrow('EEXIST');
  });

  it('given bookings around the edges of the period, when compared, then those within an hour are no difference', async () => {
    await lab.charge('before-near', 1, FROM_US - MINUTE_US);
    await lab.charge('after-near', 10, TO_US + MINUTE_US);
    await lab.charge('begin-neighbor', 100, FROM_US + MINUTE_US);
    await lab.charge('end-neighbor', 1_000, TO_US - MINUTE_US);
    await lab.charge('far', 10_000, TO_US + HOUR_US + MINUTE_US);
    const near: readonly Row[] = [
      ['before-near', 'charge', 1, { atUs: FROM_US }],
      ['after-near', 'charge', 10, { atUs: TO_US - 1_000 }],
    ];
    const equal = await lab.reconcile(statementOf(near));
    expect(equal.said).toContain(
      [
        'moved here within the period: $11.00',
        '  booked here within an hour outside the period: $0.11',
        '  within an hour of the edge here: in the neighboring statement: -$11.00',
        'moved by the statement: $0.11, from $0.00 to $0.11',
      ].join('\n'),
    );
    expect(equal.code).toBe(0);
    const far = await lab.reconcile(statementOf([...near, ['far', 'charge', 10_000]]));
    expect([far.code, far.said]).toEqual([
      1,
      expect.stringContaining(`missing here: charge far (line 4), here booked $100.00`),
    ]);
  });

  it('given charges and repayments that are pending, when compared, then they count apart', async () => {
    const requested = { ...data, attempt: 1, sourceId: 's', amountCents: 300, beginBeforeUs: 9 };
    const repayment = { chargeKey: bought(2), repaymentKey: 'r1', amountCents: 50, sourceId: 's' };
    await lab.inWallet(
      { type: 'FundingRequested', data: { ...requested, chargeKey: bought(1) } },
      { type: 'FundingRequested', data: { ...requested, chargeKey: bought(4), attempt: 4 } },
      { type: 'FundsWithdrawn', data: { ...data, ...repayment } },
    );
    const rows: readonly Row[] = [
      [bought(1), 'charge', 300, { state: 'action_required' }],
      ['r1', 'repayment', 50, { state: 'pending' }],
    ];
    const { code, said } = await lab.reconcile(statementOf(rows));
    expect(said).toMatch(/^pending: 2 charge, \$6\.00$/m);
    expect(said).toMatch(/^pending: 1 repayment, \$0\.50$/m);
    expect(said).toContain(
      'moved here within the period: -$0.50\n  pending: $0.50\nmoved by the statement: $0.00, from $0.00 to $0.00',
    );
    expect(code).toBe(0);
    await lab.charge(bought(5), 70);
    const booked = await lab.reconcile(statementOf([...rows, [bought(5), 'charge', 70, { state: 'pending' }]]));
    expect([booked.code, booked.said]).toEqual([1, expect.stringMatching(/^other state: charge /m)]);
  });

  it('given a repayment that was accepted and failed before it was booked, when compared, then it is no difference', async () => {
    const of = { ...data, chargeKey: bought(1), repaymentKey: 'r1', amountCents: 50 };
    await lab.inWallet(
      { type: 'FundsWithdrawn', data: { ...of, sourceId: 's' } },
      { type: 'WithdrawalReversed', data: { ...of, wasPaid: true } },
    );
    expect((await lab.reconcile(statementOf([]))).code).toBe(0);
    expect((await lab.reconcile(statementOf([['r1', 'repayment', 50, { state: 'failed' }]]))).code).toBe(0);
  });

  it('given a statement that does not add up, when compared, then the difference of its sums is printed', async () => {
    await lab.charge('a', 100);
    const { code, said } = await lab.reconcile(statementOf([['a', 'charge', 100]], 103));
    expect([code, said]).toEqual([1, expect.stringContaining('the statement does not add up: it is off by $0.03')]);
  });

  it.each([
    ['', 'line 1 of the statement: the file is empty'],
    [
      statementOf([['a', 'charge', 100]]).replace(',charge,', ',refund,'),
      'line 2 of the statement: its kind is not known',
    ],
    [
      statementOf([
        ['a', 'charge', 1],
        ['b', 'charge', 1],
        ['a', 'charge', 1],
      ]),
      'line 4 of the statement: line 2 is about',
    ],
  ])('given the malformed statement %j, when compared, then the error names line and reason', async (text, message) => {
    await expect(lab.reconcile(text)).rejects.toThrow(message);
  });
});
