import type { Scope } from './auth.messages.js';
import { REQUEST_ACTIONS } from './payment-enums.js';
import { capitalize, enumerate } from './wording.js';

/** One call or field of the interface, and what it means to the user. */
interface Access {
  /** Any one of these scopes opens it; the first opens the least beside it. */
  readonly anyOf: readonly Scope[];
  readonly words: string;
}

const READING_PAYMENTS: Access = {
  anyOf: ['access_payment_history', 'access_profile', 'make_payments'],
  words: 'See your payments and charges, with their amounts, notes and the people in them',
};

/**
 * The access of tokens by operation and field. The gateway checks scopes by this table, and the consent page and
 * the page of connected apps print its words, so that no page promises less than a token grants.
 */
export const ACCESS = {
  createPayment: { anyOf: ['make_payments'], words: 'Pay and charge people in your name' },
  actOnPayment: {
    anyOf: ['make_payments'],
    words: `${capitalize(enumerate(REQUEST_ACTIONS))} payments and charges in your name`,
  },
  /** Not checked: the answer of POST /payments always holds the balance. */
  balanceAfterPayment: { anyOf: ['make_payments'], words: 'See your balance after each payment or charge it makes' },
  readMe: { anyOf: ['access_profile'], words: 'See your profile: your name, username, picture and bio' },
  readUser: { anyOf: ['access_profile'], words: "See other people's profiles" },
  email: { anyOf: ['access_email'], words: 'See e-mail addresses, yours and those of people it looks up' },
  phone: { anyOf: ['access_phone'], words: 'See phone numbers, yours and those of people it looks up' },
  balance: { anyOf: ['access_balance'], words: 'See your balance' },
  listFriends: {
    anyOf: ['access_friends', 'access_profile'],
    words: "See your list of friends, and other people's lists",
  },
  listPayments: READING_PAYMENTS,
  readPayment: READING_PAYMENTS,
} as const satisfies Readonly<Record<string, Access>>;

/** A call or field that some scope opens. */
export type AccessName = keyof typeof ACCESS;

/** Whether one of `scopes` opens this call or field. */
export function isOpen(name: AccessName, scopes: readonly Scope[]): boolean {
  const { anyOf }: Access = ACCESS[name];
  return anyOf.some((scope) => scopes.includes(scope));
}

/** Returns descriptions for the user of the permissions of these scopes, each once. */
export function abilitiesOf(scopes: readonly Scope[]): string[] {
  const names = (Object.keys(ACCESS) as AccessName[]).filter((name) => isOpen(name, scopes));
  return [...new Set(names.map((name) => ACCESS[name].words))];
}
