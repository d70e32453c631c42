import { CHECKED_PATHS, REFUSED_OPENINGS, REFUSED_WORDS, refusedWords, refusedWordsIn } from './words.mjs';

/** Returns one text for each alternative of the patterns: `(?:is|are) told` gives "is told". */
const examplesOf = (rules: typeof REFUSED_WORDS) =>
  rules.flatMap(([pattern]) =>
    pattern!
      .split(/\|(?![^(]*\))/)
      .map((one) => one.replaceAll(/\(\?:(\w+)[^)]*\)(\??)/g, (_, first: string, optional) => (optional ? '' : first)))
      .map((one) => one.replaceAll(/\w\?/g, '')),
  );

describe('the words of code, comments and documents', () => {
  it('given code, specs and documents, when they are searched, then no refused word is found', () => {
    expect(CHECKED_PATHS.length).toBeGreaterThan(0);
    expect(refusedWords()).toEqual([]);
  });

  it.each(examplesOf(REFUSED_WORDS))(
    'given a comment with "%s", when it is checked, then line and replacement are named',
    (word) => {
      const found = refusedWordsIn('a.ts', `const a = 1;\n// This ${word} is here.`);
      expect(found).toEqual([expect.stringMatching(new RegExp(`^a\\.ts:2: "${word}": write .+`))]);
    },
  );

  it.each(examplesOf(REFUSED_OPENINGS))(
    'given a comment that begins with "%s", when it is checked, then line and replacement are named',
    (word) => {
      const found = [expect.stringMatching(new RegExp(`^a\\.ts:2: "${word}": write .+`))];
      expect(refusedWordsIn('a.ts', `const a = 1;\n// ${word} this is here.`)).toEqual(found);
      expect(refusedWordsIn('a.ts', `type A = {\n  /** ${word} this is here. */`)).toEqual(found);
      expect(refusedWordsIn('a.ts', `/**\n * ${word} this is here.\n * ${word}`)).toEqual(found);
    },
  );

  it('given words that contain a refused one, when they are checked, then they are accepted', () => {
    expect(refusedWordsIn('a.ts', 'const planes = toldYou; // bulletin, outlet')).toEqual([]);
  });
});
