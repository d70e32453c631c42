import { randomInt } from 'node:crypto';

const CLIENT_ID_LIMIT = 2 ** 31;
const CLIENT_ID = /^[1-9][0-9]{0,9}$/;

/** Returns a random client id: a decimal number, because clients of the legacy API store ids as 32-bit integers. */
export function generateClientId(): string {
  return String(randomInt(1, CLIENT_ID_LIMIT));
}

/** Whether an operator may assign this client id to a new app. */
export function isClientId(text: string): boolean {
  return CLIENT_ID.test(text) && Number(text) < CLIENT_ID_LIMIT;
}
