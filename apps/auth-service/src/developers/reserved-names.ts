const PRODUCT_NAME = 'settle';

/**
 * Characters that look like a letter of the product name and that NFKC, lowercasing, and removal of marks do not change.
 * Based on the confusables of UTS 39: the libraries with the whole table are unmaintained, and only four letters matter.
 */
const LOOKALIKES: Readonly<Record<string, string>> = {
  s: 's5$ѕꜱƽʂꮪꚃ',
  e: 'e3€еєҽꬲ℮ɛεəҿӗ',
  t: 't7+†тτᴛŧƭꭲ',
  l: 'l1i|!ıіӏǀłɩӀɪوןا',
};

const LETTER_BY_LOOKALIKE = new Map(
  Object.entries(LOOKALIKES).flatMap(([letter, characters]) =>
    [...characters].map((character) => [character, letter] as const),
  ),
);

/** Words that contain the product name but have another meaning. */
const UNRELATED_WORDS = /\b(?:un)?settle(?:d|r|rs|s|ment|ments)\b/g;

/**
 * Whether the name of an app contains the product name, in any case, with characters between the letters, or in letters
 * of other scripts. Words such as "settlement" and "settled" are allowed.
 */
export function resemblesProductName(name: string): boolean {
  const plain = name.normalize('NFKC').toLowerCase().normalize('NFD').replaceAll(/\p{M}/gu, '');
  const folded = [...plain].map((character) => LETTER_BY_LOOKALIKE.get(character) ?? character).join('');
  const relevant = folded.replaceAll(UNRELATED_WORDS, ' ');
  return relevant.replaceAll(/[^\p{L}\p{N}]/gu, '').includes(PRODUCT_NAME);
}
