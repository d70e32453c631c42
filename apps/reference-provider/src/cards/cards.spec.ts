import { TEST_CARDS, findCard, findEarlierCard } from './cards.js';

describe('test cards', () => {
  it.each(TEST_CARDS)('given the card $number, when its check digit is computed, then it is valid', ({ number }) => {
    const sum = [...number].reverse().reduce((total, digit, at) => {
      const weighted = Number(digit) * (at % 2 === 0 ? 1 : 2);
      return total + (weighted > 9 ? weighted - 9 : weighted);
    }, 0);
    expect(sum % 10).toBe(0);
    expect(findCard(number)?.number).toBe(number);
  });

  it('given all cards, when their numbers are compared, then they differ', () => {
    expect(new Set(TEST_CARDS.map(({ number }) => number)).size).toBe(TEST_CARDS.length);
  });

  it('given a source of another kind, when its earlier card is looked up, then there is none', () => {
    expect(['s-1', 'my-test-card-1', 'card'].map(findEarlierCard)).toEqual([null, null, null]);
  });
});
