import { capitalize, enumerate } from './wording.js';

describe('enumerate', () => {
  it.each([
    [[], ''],
    [['deny'], 'deny'],
    [['approve', 'deny'], 'approve and deny'],
    [['approve', 'deny', 'cancel'], 'approve, deny and cancel'],
  ])('given the words %j, when they are enumerated, then the text is "%s"', (words, text) => {
    expect(enumerate(words)).toBe(text);
  });

  it('given another conjunction, when words are enumerated, then it precedes the last word', () => {
    expect(enumerate(['approve', 'deny', 'cancel'], 'or')).toBe('approve, deny or cancel');
  });
});

describe('capitalize', () => {
  it.each([
    ['approve and deny', 'Approve and deny'],
    ['', ''],
  ])('given the text "%s", when it is capitalized, then it is "%s"', (text, capitalized) => {
    expect(capitalize(text)).toBe(capitalized);
  });
});
