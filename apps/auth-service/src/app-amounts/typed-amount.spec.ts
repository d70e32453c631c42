import { SettleError } from '@settle/contracts';
import { readAmountPerDay, shownAmountPerDay } from './typed-amount.js';

describe('readAmountPerDay', () => {
  it.each([
    ['', null],
    ['  ', null],
    ['20', 2_000],
    [' 12.50 ', 1_250],
    ['$0.01', 1],
    ['1000000', 100_000_000],
  ])('given "%s", when read, then it is %s cents', (typed, cents) => {
    expect(readAmountPerDay(typed)).toBe(cents);
  });

  it.each(['0', '0.00', '-5', '1.234', '1e3', '1,50', '.5', 'none', '1000000.01', '9'.repeat(40)])(
    'given "%s", when read, then the error says what to type',
    (typed) => {
      expect(() => readAmountPerDay(typed)).toThrow(SettleError);
      expect(() => readAmountPerDay(typed)).toThrow(/such as 20 or 12\.50.*no limit/);
    },
  );
});

describe('shownAmountPerDay', () => {
  it.each([
    [null, ''],
    [1_250, '12.50'],
  ])('given %s cents, when shown, then the field holds "%s"', (cents, text) => {
    expect(shownAmountPerDay(cents)).toBe(text);
    expect(readAmountPerDay(text)).toBe(cents);
  });
});
