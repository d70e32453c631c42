import type { Caller } from './caller.js';
import { PagedList } from './paged-list.js';
import type { CreatedPayment, ListedPayment, NewPayment, Payment, PaymentAction, PaymentsQuery } from './types.js';

export interface WriteOptions {
  /**
   * By default a new one. Pass one that you have stored beforehand to repeat the call after a restart of your program, or
   * that of an `OutcomeUnknownError`: the payment is made once. 1 to 255 visible ASCII characters.
   */
  readonly idempotencyKey?: string;
  /** Longest time for this call with all of its attempts. */
  readonly timeoutMs?: number;
}

/** The payments and charges of the user. Every call has the errors of `SettleClient`. */
export class Payments {
  constructor(private readonly caller: Caller) {}

  /**
   * Pays or, with a negative amount, charges one user. A pay without funds is a payment with the status `failed`, not an error.
   */
  async create(payment: NewPayment, options: WriteOptions = {}): Promise<CreatedPayment> {
    return this.#write('POST', '/payments', payment, options);
  }

  /** Returns one payment of the user. */
  async get(id: string): Promise<Payment> {
    const path = `/payments/${encodeURIComponent(id)}`;
    return (await this.caller.send<{ data: Payment }>({ method: 'GET', path })).data;
  }

  /** Returns the payments of which the user is actor or target, newest first. */
  list(query: PaymentsQuery = {}): PagedList<ListedPayment> {
    return new PagedList(this.caller, '/payments', { ...query });
  }

  /** Pays a pending charge whose target is the user. */
  approve(id: string, options?: WriteOptions): Promise<ListedPayment> {
    return this.#change(id, 'approve', options);
  }

  /** Rejects a pending charge whose target is the user. */
  deny(id: string, options?: WriteOptions): Promise<ListedPayment> {
    return this.#change(id, 'deny', options);
  }

  /** Cancels a pending payment or charge that the user created. */
  cancel(id: string, options?: WriteOptions): Promise<ListedPayment> {
    return this.#change(id, 'cancel', options);
  }

  #change(id: string, action: PaymentAction, options: WriteOptions = {}): Promise<ListedPayment> {
    return this.#write('PUT', `/payments/${encodeURIComponent(id)}`, { action }, options);
  }

  async #write<Data>(method: 'POST' | 'PUT', path: string, body: object, options: WriteOptions): Promise<Data> {
    const { idempotencyKey = crypto.randomUUID(), timeoutMs } = options;
    return (await this.caller.send<{ data: Data }>({ method, path, body, idempotencyKey, timeoutMs })).data;
  }
}
