/**
 * What cannot be seen, turns the text around, or looks like a blank: controls and formats, fillers such as U+3164, and
 * the empty Braille pattern. The two selectors that say how an emoji is drawn are none of them.
 */
const INVISIBLE = /(?![\uFE0E\uFE0F])[\p{C}\p{Default_Ignorable_Code_Point}\u2800]/u;
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;

/** Whether a text holds a character that nobody sees. */
export function hasInvisible(text: string): boolean {
  return INVISIBLE.test(text);
}

/** Whether a text can be read as a name: it has a letter or a digit, and nothing in it is invisible. */
export function isReadable(text: string): boolean {
  return LETTER_OR_DIGIT.test(text) && !INVISIBLE.test(text);
}
