import { SettleError } from '@settle/contracts';
import { parseAmountPerDay, formatAmountPerDay } from './amount-per-day.js';

describe('parseAmountPerDay', () => {
  it.each([
    ['', null],
    ['  ', null],
    ['20', 2_000],
    [' 12.50 ', 1_250],
    ['$0.01', 1],
    ['1000000', 100_000_000],
  ])('given "%s", when parsed, then it is %s cents', (input, cents) => {
    expect(parseAmountPerDay(input)).toBe(cents);
  });

  it.each(['0', '0.00', '-5', '1.234', '1e3', '1,50', '.5', 'none', '1000000.01', '9'.repeat(40)])(
    'given "%s", when parsed, then the error explains the format',
    (input) => {
      expect(() => parseAmountPerDay(input)).toThrow(SettleError);
      expect(() => parseAmountPerDay(input)).toThrow(/such as 20 or 12\.50.*no limit/);
    },
  );
});

describe('formatAmountPerDay', () => {
  it.each([
    [null, ''],
    [1_250, '12.50'],
  ])('given %s cents, when formatted, then the field contains "%s"', (cents, text) => {
    expect(formatAmountPerDay(cents)).toBe(text);
    expect(parseAmountPerDay(text)).toBe(cents);
  });
});
