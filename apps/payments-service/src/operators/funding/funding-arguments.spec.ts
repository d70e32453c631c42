import { readFundingOrder } from './funding-arguments.js';

const TRANSFER = ['--user', 'alice', '--reference', 'RF 1', '--reason', 'wire of today', '--operator', 'jo'];
const DECISION = { operator: 'jo', reason: 'wire of today', reference: 'RF 1' };

describe('the arguments of the funding command', () => {
  it.each(['deposit', 'withdraw'] as const)('given a %s, when read, then it is a dry run unless confirmed', (type) => {
    const read = (...more: string[]) => readFundingOrder([type, ...TRANSFER, '--amount', '12.3', ...more]);
    const order = { type, user: 'alice', amountCents: 1_230, decision: DECISION };
    expect(read()).toEqual({ ...order, isConfirmed: false });
    expect(read('--confirm')).toEqual({ ...order, isConfirmed: true });
  });

  it.each([
    [['pending'], { type: 'pending' }],
    [['ask', '1:2:1'], { type: 'ask', key: '1:2:1', isConfirmed: false }],
    [['cancel', 'd-1', '--confirm'], { type: 'cancel', key: 'd-1', isConfirmed: true }],
    [['reconcile', 'a.csv'], { type: 'reconcile', file: 'a.csv', report: null }],
    [['reconcile', 'a.csv', '--report', 'b.csv'], { type: 'reconcile', file: 'a.csv', report: 'b.csv' }],
  ])('given %j, when read, then the order is returned', (args, order) => {
    expect(readFundingOrder(args)).toEqual(order);
  });

  it('given a review or a closing, when read, then reason and operator are part of it', () => {
    const words = ['--reason', 'known', '--operator', 'jo'];
    const decision = { operator: 'jo', reason: 'known', reference: '' };
    const review = { withdrawalId: 'w-1', decision, isConfirmed: false };
    expect(readFundingOrder(['withdrawal', 'approve', 'w-1', ...words])).toEqual({ type: 'approve', ...review });
    expect(readFundingOrder(['withdrawal', 'refuse', 'w-1', ...words])).toEqual({ type: 'refuse', ...review });
    expect(readFundingOrder(['contradiction', 'close', 'k', ...words])).toEqual({
      ...{ type: 'close', key: 'k', decision, isConfirmed: false },
    });
    const orphan = { type: 'repay', key: '1:2:1', decision, isConfirmed: true };
    expect(readFundingOrder(['orphan', 'repay', '1:2:1', ...words, '--confirm'])).toEqual({ ...orphan, user: null });
    expect(readFundingOrder(['orphan', 'repay', '1:2:1', ...words, '--confirm', '--user', 'al'])).toEqual({
      ...{ ...orphan, user: 'al' },
    });
  });

  it.each(['', '0', '-1', '1.234', '1e3', '1,00', '99999999999999'])(
    'given the amount "%s", when read, then one line says how to write it',
    (amount) => {
      expect(() => readFundingOrder(['deposit', ...TRANSFER, `--amount=${amount}`])).toThrow(/^--amount: [^\n]*$/);
    },
  );

  it.each([
    [['deposit', '--user', 'alice', '--amount', '1', '--reference', 'r'], '--reason: it is needed here'],
    [['deposit', '--amount', '1', '--reference', 'r', '--reason', 'x'], '--user: it is needed here'],
    [['deposit', '--user', 'alice', '--amount', '1', '--reason', 'x'], '--reference: it is needed here'],
    [['deposit', ...TRANSFER, '--amount', '1', '--report', 'f'], '--report: "deposit" does not take it'],
    [['pending', '--confirm'], '--confirm: "pending" does not take it'],
    [['withdrawal', 'approve', 'w-1'], '--reason: it is needed here'],
    [['withdrawal', 'approve', 'w-1', '--reason', 'x', '--operator', 'jo@x'], '--operator: one name'],
    [['deposit', ...TRANSFER, '--amount', '1', '--reason', 'x\ny'], '--reason: one line'],
    [['ask', "k'x"], `"k'x": a key or id has`],
    [['withdrawal', 'pay', 'w-1', '--reason', 'x'], '"withdrawal pay w-1" is not understood'],
    [['orphan', 'repay', 'k'], '--reason: it is needed here'],
    [['orphan', 'close', 'k', '--reason', 'x'], '"orphan close k" is not understood'],
    [['toString'], '"toString" is not understood'],
    [[], 'npm run funding -- pending'],
    [['ask'], 'npm run funding -- pending'],
    [['reconcile', 'a', 'b'], 'npm run funding -- pending'],
  ])('given %j, when read, then the error names the problem', (args, problem) => {
    expect(() => readFundingOrder(args)).toThrow(problem);
  });
});
