/** Control characters, and halves of a character, which no database and no UTF-8 can hold. */
const NOT_OF_LINES = /[\p{Cc}\p{Cs}]/u;
/**
 * These hold also the embeddings, overrides and isolates of UAX 9, which turn what follows around: a note or a name
 * could make a reader see another amount or another payee. The marks U+200E and U+200F, which writing from right to
 * left needs, are none of them.
 */
const NOT_OF_TEXTS = /[^\P{Cc}\n]|[\p{Cs}\u202A-\u202E\u2066-\u2069]/u;
const NOT_OF_NAMES = /[\p{Cc}\p{Cs}\u202A-\u202E\u2066-\u2069]/u;

/** Whether a text of several lines, such as a note, holds line feeds but no other control character, nor one that turns text around. */
export function isPlainText(text: string): boolean {
  return !NOT_OF_TEXTS.test(text);
}

/** Whether a text of one line holds no control character. */
export function isPlainLine(text: string): boolean {
  return !NOT_OF_LINES.test(text);
}

/** Whether a name that a user chooses holds no control character, nor one that turns text around. */
export function isPlainName(text: string): boolean {
  return !NOT_OF_NAMES.test(text);
}
