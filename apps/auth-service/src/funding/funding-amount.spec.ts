import fc from 'fast-check';
import { MAX_FUNDING_CENTS, formatDollars } from '@settle/contracts';
import { parseFundingAmount } from './funding-amount.js';

describe('amounts of deposits and withdrawals', () => {
  it.each([
    ['20', 20_00],
    [' $12.5 ', 12_50],
    ['0.01', 1],
    ['10000000.00', MAX_FUNDING_CENTS],
  ])('given the text "%s", when it is parsed, then it is %d cents', (text, cents) => {
    expect(parseFundingAmount(text)).toBe(cents);
  });

  it.each(['', '0', '0.00', '-1', '1.005', '1,000', '1e3', 'ten', '10000000.01', '1 000', '٣'])(
    'given the text "%s", when it is parsed, then it is rejected with the form that is needed',
    (text) => {
      expect(() => parseFundingAmount(text)).toThrow(/such as 20 or 12.50/);
    },
  );

  it('given any amount, when it is formatted and parsed, then every cent is kept', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: MAX_FUNDING_CENTS }), (cents) => {
        expect(parseFundingAmount(formatDollars(cents))).toBe(cents);
        expect(formatDollars(-cents)).toBe(`-${formatDollars(cents)}`);
      }),
    );
  });
});
