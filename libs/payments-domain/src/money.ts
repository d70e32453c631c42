const DECIMAL = /^(-?)(0|[1-9][0-9]*)(?:\.([0-9]+))?$/;
const BASIS_POINTS = 10_000;

/**
 * Parses a decimal amount exactly: at most two non-zero fraction digits, and a leading "-" for a charge.
 * @returns signed cents; null if the text is no such amount, is zero, or exceeds `maxCents` in either direction
 */
export function parseAmountCents(text: string, maxCents: number): number | null {
  const match = DECIMAL.exec(text);
  if (match === null) return null;
  const [, sign, whole = '', fraction = ''] = match;
  // Searched from the front: matching zeros at the end takes seconds on a fraction as long as a request may be.
  if (whole.length > 15 || /[1-9]/.test(fraction.slice(2))) return null;
  const cents = Number(whole) * 100 + Number(fraction.slice(0, 2).padEnd(2, '0'));
  if (cents === 0 || cents > maxCents || !Number.isSafeInteger(cents)) return null;
  return sign === '-' ? -cents : cents;
}

/** Formats cents as a JSON number: at most two decimals, no exponent, never -0. */
export function formatCents(cents: number): string {
  const absolute = Math.abs(checkedCents(cents));
  const whole = Math.trunc(absolute / 100);
  const rest = absolute % 100;
  const fraction = rest === 0 ? '' : rest % 10 === 0 ? `.${rest / 10}` : rest < 10 ? `.0${rest}` : `.${rest}`;
  return `${cents < 0 ? '-' : ''}${whole}${fraction}`;
}

/**
 * Returns the number if it is a whole number of cents that a double represents exactly; otherwise throws a RangeError.
 */
export function checkedCents(cents: number): number {
  if (!Number.isSafeInteger(cents)) throw new RangeError('An amount is outside the range of safe integers');
  return cents;
}

/** Fee that the payer pays on top of the amount. */
export interface FeeRate {
  readonly feeBps: number;
  readonly feeFixedCents: number;
}

/** Returns the fee on an amount, rounded half up to a cent. */
export function feeCentsOf(amountCents: number, rate: FeeRate): number {
  const share = checkedCents(amountCents * rate.feeBps);
  const rest = share % BASIS_POINTS;
  return (share - rest) / BASIS_POINTS + (rest * 2 >= BASIS_POINTS ? 1 : 0) + rate.feeFixedCents;
}
