import { randomInt } from 'node:crypto';

const BEYOND_LARGEST = 2 ** 31;
const CLIENT_ID = /^[1-9][0-9]{0,9}$/;

/** The id of a new app: a decimal number, since clients of the former interface hold ids as 32-bit integers. */
export function newClientId(): string {
  return String(randomInt(1, BEYOND_LARGEST));
}

/** Whether an operator may give an app this id. */
export function isClientId(text: string): boolean {
  return CLIENT_ID.test(text) && Number(text) < BEYOND_LARGEST;
}
