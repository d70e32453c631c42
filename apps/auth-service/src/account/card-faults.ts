/** A card as somebody types it in. It is judged and handed to its provider, and then forgotten. */
export interface TypedCard {
  readonly card_number: string;
  /** The month and the year that are printed on it, as in 04/31. */
  readonly expiry: string;
  readonly security_code: string;
}

export type CardFaults = Partial<Record<keyof TypedCard, string>>;

/** The digits of a card number, however they are grouped. */
export function cardDigits(text: string): string {
  return text.replace(/[\s-]/g, '');
}

/** What is wrong with the form of each field; a card may still be refused by its provider. */
export function cardFaults({ card_number: number, expiry, security_code: code }: TypedCard, nowMs: number): CardFaults {
  return {
    ...(!isCardNumber(cardDigits(number)) && { card_number: 'This is no card number. Check its digits.' }),
    ...expiryFault(expiry, nowMs),
    ...(!/^[0-9]{3,4}$/.test(code.trim()) && { security_code: 'This is three or four digits.' }),
  };
}

/** Lengths and the check digit are those of ISO/IEC 7812-1. */
function isCardNumber(digits: string): boolean {
  if (!/^[0-9]{12,19}$/.test(digits)) return false;
  const sum = [...digits].reverse().reduce((total, digit, place) => {
    const weighed = Number(digit) * (place % 2 === 0 ? 1 : 2);
    return total + (weighed > 9 ? weighed - 9 : weighed);
  }, 0);
  return sum % 10 === 0;
}

/** A card is good until the last day of its month. */
function expiryFault(text: string, nowMs: number): Pick<CardFaults, 'expiry'> {
  const [, month = '', year = ''] = /^(0[1-9]|1[0-2])\s*\/\s*(?:20)?([0-9]{2})$/.exec(text.trim()) ?? [];
  if (month === '') return { expiry: 'Type month and year, as in 04/31.' };
  const now = new Date(nowMs);
  const monthsLeft = (2_000 + Number(year) - now.getUTCFullYear()) * 12 + Number(month) - 1 - now.getUTCMonth();
  return monthsLeft < 0 ? { expiry: 'This card has expired.' } : {};
}
