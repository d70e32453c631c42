import { DEMO_USERS } from '@settle/contracts';
import { type Answer, baseUrl, call, type Fields } from './client.js';
import { tokenFor } from './sign-in.js';
import { cents, type WireCreated, type WireMe, type WirePayment } from './wire.js';

/** One of the demo people with a token of every scope. Amounts are decimals, as the interface takes them. */
export interface Person {
  readonly id: string;
  readonly email: string;
  readonly phone: string;
  readonly token: string;
  balanceCents(): Promise<number>;
  /** Pays, or charges when `amount` is negative. */
  send(target: Fields, amount: number | string, more?: Fields): Promise<Answer<WireCreated>>;
  read(id: string): Promise<Answer<WirePayment>>;
  list(query?: Fields): Promise<Answer<WirePayment[]>>;
  act(id: string, action: string): Promise<Answer<WirePayment>>;
}

/** @param base where their calls go: the real address, or the sandbox's */
export async function personNamed(name: keyof typeof DEMO_USERS, base = baseUrl()): Promise<Person> {
  return personWith({ ...DEMO_USERS[name], token: await tokenFor(name) }, base);
}

/** The user of this token. @param base as in `personNamed` */
export function personWith(
  { id, email, phone, token }: Pick<Person, 'id' | 'email' | 'phone' | 'token'>,
  base = baseUrl(),
): Person {
  return {
    id,
    email,
    phone,
    token,
    async balanceCents() {
      const { body } = await call<WireMe>(`${base}/me`, { token });
      return cents(Number(body.data.balance));
    },
    send: (target, amount, more = {}) =>
      call(`${base}/payments`, { method: 'POST', token, form: { note: 'e2e', amount, ...target, ...more } }),
    read: (paymentId) => call(`${base}/payments/${paymentId}`, { token }),
    list: (query = {}) => call(`${base}/payments`, { token, query }),
    act: (paymentId, action) => call(`${base}/payments/${paymentId}`, { method: 'PUT', token, form: { action } }),
  };
}

/** That one payment may move. */
const LARGEST_CENTS = 299_999;

/** Makes a funded user pay `target` until `leftCents` are left. */
export async function payDownTo(leftCents: number, payer: Person, target: Fields): Promise<void> {
  for (;;) {
    const excessCents = (await payer.balanceCents()) - leftCents;
    if (excessCents <= 0) return;
    const { body } = await payer.send(target, (Math.min(excessCents, LARGEST_CENTS) / 100).toFixed(2));
    if (body.data.payment.status === 'failed') throw new Error('The balance was not there.');
  }
}

let drawn = 0;

/** An address that no user has verified and no payment has named. */
export function unknownEmail(): string {
  drawn += 1;
  return `unused.${Date.now()}.${process.pid}.${drawn}@example.com`;
}

/** A US number that no user has verified. */
export function unknownPhone(): string {
  drawn += 1;
  const line = String((Date.now() + drawn) % 10_000).padStart(4, '0');
  return `+1415556${line}`;
}
