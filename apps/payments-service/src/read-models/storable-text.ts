/** Replaces a character that cannot be stored. */
const REPLACEMENT = '\uFFFD';

/**
 * Returns the text as a column of PostgreSQL can hold it: U+0000 and lone surrogates, which JSON can hold and PostgreSQL
 * cannot, become U+FFFD. Events may hold both; one of them must not stop the projection of all others.
 */
export function storableText(text: string): string {
  return text.replaceAll('\0', REPLACEMENT).replace(/\p{Surrogate}/gu, REPLACEMENT);
}
