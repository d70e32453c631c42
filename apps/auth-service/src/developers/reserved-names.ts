/** What this product calls itself on its own pages. */
const OWN_NAME = 'settle';

/**
 * Characters that look like a letter of our name and that NFKC, lower case and taking marks off leave as they are. By
 * hand, after the confusables of UTS 39: the libraries that carry its whole table have not been kept for years, and five
 * letters are all that is compared.
 */
const LOOKALIKES: Readonly<Record<string, string>> = {
  s: 's5$ѕꜱƽʂꮪꚃ',
  e: 'e3€еєҽꬲ℮ɛεəҿӗ',
  t: 't7+†тτᴛŧƭꭲ',
  l: 'l1i|!ıіӏǀłɩӀɪوןا',
};

const FOLDED = new Map(
  Object.entries(LOOKALIKES).flatMap(([letter, characters]) => [...characters].map((one) => [one, letter] as const)),
);

/** Words that hold our name and mean something else. */
const OTHER_WORDS = /\b(?:un)?settle(?:d|r|rs|s|ment|ments)\b/g;

/**
 * Whether the name of an app reads like our own: anywhere in it, in capitals, with blanks between the letters, or in
 * letters of other scripts. The words "settlement" and "settled" are free.
 */
export function readsLikeOurName(name: string): boolean {
  const plain = name.normalize('NFKC').toLowerCase().normalize('NFD').replaceAll(/\p{M}/gu, '');
  const folded = [...plain].map((one) => FOLDED.get(one) ?? one).join('');
  const rest = folded.replaceAll(OTHER_WORDS, ' ');
  return rest.replaceAll(/[^\p{L}\p{N}]/gu, '').includes(OWN_NAME);
}
