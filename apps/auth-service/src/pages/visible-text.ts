/**
 * Characters that are invisible, change the text direction, or look like a space: control and format characters, fillers
 * such as U+3164, and the empty Braille pattern. The two variation selectors of emoji are allowed.
 */
const INVISIBLE = /(?![\uFE0E\uFE0F])[\p{C}\p{Default_Ignorable_Code_Point}\u2800]/u;
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;

/** Whether a text contains an invisible character. */
export function hasInvisibleCharacter(text: string): boolean {
  return INVISIBLE.test(text);
}

/** Whether a text is readable as a name: it has a letter or a digit, and no invisible character. */
export function isReadable(text: string): boolean {
  return LETTER_OR_DIGIT.test(text) && !INVISIBLE.test(text);
}

/** Returns the host of a site URL, empty without a URL. The rest of a URL could pretend to be another host. */
export function getSiteHost(siteUrl: string): string {
  return URL.canParse(siteUrl) ? new URL(siteUrl).host : '';
}
