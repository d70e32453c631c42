import { form, text, type FormOf } from '../http/form.js';

/** A card. It is validated and passed to the card provider, and never stored. The expiry is a month such as 04/31. */
export const CardForm = form({ card_number: text(100), expiry: text(20), security_code: text(20) });

type CardInput = Omit<FormOf<typeof CardForm>, 'form_token'>;

export type CardFaults = Partial<Record<keyof CardInput, string>>;

/** Removes spaces and hyphens. */
export function normalizeCardNumber(text: string): string {
  return text.replace(/[\s-]/g, '');
}

/** Returns a message for each malformed field. The provider may still decline a well-formed card. */
export function findCardFaults(
  { card_number: number, expiry, security_code: code }: CardInput,
  nowMs: number,
): CardFaults {
  return {
    ...(!isCardNumber(normalizeCardNumber(number)) && { card_number: 'This is not a card number. Check the digits.' }),
    ...findExpiryFault(expiry, nowMs),
    ...(!/^[0-9]{3,4}$/.test(code.trim()) && { security_code: 'Enter three or four digits.' }),
  };
}

/** Checks the length and the check digit of ISO/IEC 7812-1. */
function isCardNumber(digits: string): boolean {
  if (!/^[0-9]{12,19}$/.test(digits)) return false;
  const sum = [...digits].reverse().reduce((total, digit, position) => {
    const weighted = Number(digit) * (position % 2 === 0 ? 1 : 2);
    return total + (weighted > 9 ? weighted - 9 : weighted);
  }, 0);
  return sum % 10 === 0;
}

/** A card is valid until the last day of the month. */
function findExpiryFault(text: string, nowMs: number): Pick<CardFaults, 'expiry'> {
  const [, month = '', year = ''] = /^(0[1-9]|1[0-2])\s*\/\s*(?:20)?([0-9]{2})$/.exec(text.trim()) ?? [];
  if (month === '') return { expiry: 'Enter the month and year, such as 04/31.' };
  const now = new Date(nowMs);
  const monthsLeft = (2_000 + Number(year) - now.getUTCFullYear()) * 12 + Number(month) - 1 - now.getUTCMonth();
  return monthsLeft < 0 ? { expiry: 'This card has expired.' } : {};
}
