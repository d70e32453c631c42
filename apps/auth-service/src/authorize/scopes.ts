import { SCOPES, type Scope } from '@settle/contracts';

/** What each scope lets an app do, as its consent page says it. */
export const SCOPE_WORDS: Readonly<Record<Scope, string>> = {
  make_payments: 'Pay and charge people in your name, and answer requests for your money',
  access_profile: 'See your profile: your name, username, picture and bio',
  access_email: 'See e-mail addresses, yours and those of people it looks up',
  access_phone: 'See phone numbers, yours and those of people it looks up',
  access_balance: 'See your balance',
  access_friends: 'See your list of friends',
  access_payment_history: 'See your payments and charges',
};

/** The scopes named in `text`, separated by spaces or commas, each once; null when one is unknown or there is none. */
export function readScopes(text: string): Scope[] | null {
  const names = new Set(text.split(/[ ,]+/).filter((name) => name !== ''));
  const scopes = SCOPES.filter((scope) => names.has(scope));
  return names.size > 0 && scopes.length === names.size ? scopes : null;
}
