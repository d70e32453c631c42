import { DEMO_USERS } from '@settle/contracts';
import { type ApiResponse, baseUrl, call, type Fields } from './client.js';
import { loadToken } from './sign-in.js';
import { cents, type WireCreated, type WireMe, type WirePayment } from './wire.js';

/** A user with a token of every scope. Amounts are decimals, as in the API. */
export interface TestUser {
  readonly id: string;
  readonly email: string;
  readonly phone: string;
  readonly token: string;
  balanceCents(): Promise<number>;
  /** Pays, or charges when `amount` is negative. */
  send(target: Fields, amount: number | string, more?: Fields): Promise<ApiResponse<WireCreated>>;
  read(id: string): Promise<ApiResponse<WirePayment>>;
  list(query?: Fields): Promise<ApiResponse<WirePayment[]>>;
  act(id: string, action: string): Promise<ApiResponse<WirePayment>>;
}

/** Returns a demo user with a token. @param base the address of production or of the sandbox */
export async function loadDemoUser(name: keyof typeof DEMO_USERS, base = baseUrl()): Promise<TestUser> {
  return buildTestUser({ ...DEMO_USERS[name], token: await loadToken(name) }, base);
}

/** Returns the user of this token. @param base as in `loadDemoUser` */
export function buildTestUser(
  { id, email, phone, token }: Pick<TestUser, 'id' | 'email' | 'phone' | 'token'>,
  base = baseUrl(),
): TestUser {
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

/** The largest amount of one payment. */
const LARGEST_CENTS = 299_999;

/** Makes a funded user pay `target` until `leftCents` are left. */
export async function payDownTo(leftCents: number, payer: TestUser, target: Fields): Promise<void> {
  for (;;) {
    const excessCents = (await payer.balanceCents()) - leftCents;
    if (excessCents <= 0) return;
    const { body } = await payer.send(target, (Math.min(excessCents, LARGEST_CENTS) / 100).toFixed(2));
    if (body.data.payment.status === 'failed') throw new Error('The balance was too low.');
  }
}

let drawn = 0;

/** Returns an address that no user has verified and no payment has named. */
export function unknownEmail(): string {
  drawn += 1;
  return `unused.${Date.now()}.${process.pid}.${drawn}@example.com`;
}

/** Returns a US phone number that no user has verified. */
export function unknownPhone(): string {
  drawn += 1;
  const line = String((Date.now() + drawn) % 10_000).padStart(4, '0');
  return `+1415556${line}`;
}
