import { CHECKED_PATHS, REFUSED_WORDS, refusedWords, refusedWordsIn } from './words.mjs';

/** One text for each alternative of a pattern. */
const examples = REFUSED_WORDS.flatMap(([pattern]) =>
  pattern!.split(/\|(?![^(]*\))/).map((one) => one.replace(/\(\?:(\w+)[^)]*\)/, '$1').replace('s?', '')),
);

describe('the words of code, comments and documents', () => {
  it('given code, specs and documents, when they are searched, then no refused word is found', () => {
    expect(CHECKED_PATHS.length).toBeGreaterThan(0);
    expect(refusedWords()).toEqual([]);
  });

  it.each(examples)('given a comment with "%s", when it is checked, then line and replacement are named', (word) => {
    const found = refusedWordsIn('a.ts', `const a = 1;\n// This ${word} is here.`);
    expect(found).toEqual([expect.stringMatching(new RegExp(`^a\\.ts:2: "${word}": write .+`))]);
  });

  it('given words that contain a refused one, when they are checked, then they are accepted', () => {
    expect(refusedWordsIn('a.ts', 'const planes = toldYou; // bulletin, outlet')).toEqual([]);
  });
});
