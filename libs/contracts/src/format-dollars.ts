/** The currency of every amount, as ISO 4217 names it. */
export const CURRENCY = 'USD';

/** Formats cents as users read them, exact to the cent: `$12.50`, `-$0.05`. */
export function formatDollars(cents: number): string {
  const digits = String(Math.abs(cents)).padStart(3, '0');
  return `${cents < 0 ? '-' : ''}$${digits.slice(0, -2)}.${digits.slice(-2)}`;
}
