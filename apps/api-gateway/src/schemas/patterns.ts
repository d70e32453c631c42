/** The largest id: ids are below 2^63. */
const LARGEST_ID = '9223372036854775807';

/** Ids, exactly as `isId` takes them. */
export const ID_PATTERN = `^([1-9][0-9]{17}|${upTo(LARGEST_ID)})$`;

const YEAR = '([1-9][0-9]{3}|0[1-9][0-9]{2}|00[1-9][0-9]|000[1-9])';
const DAY = '((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-9]))';
const TIME = '([01][0-9]|2[0-3]):[0-5][0-9]';

/** Dates and times, as `parseIsoDateUs` takes them, but for February 29 of years that have none. */
export const DATE_PATTERN = `^${YEAR}-${DAY}(T${TIME}(:[0-5][0-9](\\.[0-9]{1,9})?)?(Z|[+ -]${TIME})?)?$`;

/** Text in a query, which holds no NUL. */
export const TEXT_PATTERN = '^[^\\u0000]*$';

/** The word in small letters, capitals, or both. */
export function inAnyCase(word: string): string {
  return [...word].map((letter) => `[${letter}${letter.toUpperCase()}]`).join('');
}

/** A pattern for the numbers without a zero in front that have as many digits as `largest` and are not above it. */
function upTo(largest: string): string {
  const smaller = [...largest].flatMap((digit, at) => {
    const lowest = at === 0 ? 1 : 0;
    if (Number(digit) <= lowest) return [];
    return [`${largest.slice(0, at)}[${lowest}-${Number(digit) - 1}][0-9]{${largest.length - at - 1}}`];
  });
  return [...smaller, largest].join('|');
}
