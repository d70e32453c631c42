/** Returns the words as an English enumeration, such as "approve, deny and cancel". */
export function enumerate(words: readonly string[], conjunction: 'and' | 'or' = 'and'): string {
  const others = words.slice(0, -1).join(', ');
  const last = words.at(-1) ?? '';
  return others === '' ? last : `${others} ${conjunction} ${last}`;
}

/** Returns the text with its first letter in upper case. */
export function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
