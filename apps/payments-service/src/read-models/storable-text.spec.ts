import { storableText } from './storable-text.js';

describe('a text for a table', () => {
  it.each([
    ['plain\ntext \u{1F600}', 'plain\ntext \u{1F600}'],
    ['a\u0000b\u0000', 'a\uFFFDb\uFFFD'],
    ['half \uD83D and \uDE00', 'half \uFFFD and \uFFFD'],
  ])('given %j, when it is stored, then it is %j', (text, stored) => {
    expect(storableText(text)).toBe(stored);
  });
});
