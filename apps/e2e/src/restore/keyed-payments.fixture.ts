import { call, nullIfBroken } from '../client.js';
import type { TestUser } from '../users.js';
import type { WireCreated } from '../wire.js';

const IN_FLIGHT = 4;

/** Status of an attempt whose connection broke, as when a gateway ends. */
const NO_RESPONSE = 0;

interface Attempt {
  readonly key: string;
  readonly status: number;
  /** Null if the payment was not acknowledged. */
  readonly paymentId: string | null;
}

/** Payments of one cent, each with an idempotency key, while parts of the product may be unavailable. */
export class KeyedPayments {
  readonly #attempts: Attempt[] = [];
  #payerCents = 0;
  #begun = 0;

  constructor(
    private readonly payer: TestUser,
    private readonly payee: TestUser,
  ) {}

  /** Notes the balance of the payer before the first payment. */
  async begin(): Promise<void> {
    this.#payerCents = await this.payer.balanceCents();
  }

  /** Number of attempts with this status. */
  count(status: number): number {
    return this.#attempts.filter((attempt) => attempt.status === status).length;
  }

  /** Number of attempts with a response that does not acknowledge the payment. */
  get refused(): number {
    return this.count(503) + this.count(504);
  }

  /** Number of attempts that may have made a payment or not. */
  get unknown(): number {
    return this.count(504) + this.count(NO_RESPONSE);
  }

  /** Returns what the payer has paid since `begin`, as the API shows it. */
  async paidCents(): Promise<number> {
    return this.#payerCents - (await this.payer.balanceCents());
  }

  /** Makes one payment and records it. */
  async payOnce(): Promise<number> {
    this.#begun += 1;
    const attempt = await this.#pay(`drill-${this.#begun}`);
    this.#attempts.push(attempt);
    return attempt.status;
  }

  /** Pays concurrently until `isOver`. */
  async payUntil(isOver: () => boolean): Promise<void> {
    const payOneByOne = async () => {
      while (!isOver()) await this.payOnce();
    };
    await Promise.all(Array.from({ length: IN_FLIGHT }, payOneByOne));
  }

  /** Repeats every request with its key: an acknowledged payment must be the same, and every request leaves one payment. */
  async repeatAll(): Promise<void> {
    for (const { key, paymentId } of this.#attempts) {
      const repeated = await this.#pay(key);
      expect(repeated).toEqual({ key, status: 200, paymentId: paymentId ?? repeated.paymentId });
    }
    expect(await this.paidCents()).toBe(this.#attempts.length);
  }

  /** Every refusal must be one that a client can handle. */
  async #pay(key: string): Promise<Attempt> {
    const response = await call<WireCreated>('/payments', {
      method: 'POST',
      token: this.payer.token,
      form: { user_id: this.payee.id, amount: '0.01', note: 'drill' },
      headers: { 'idempotency-key': key },
    }).catch(nullIfBroken);
    if (response === null) return { key, status: NO_RESPONSE, paymentId: null };
    const { status, headers, body } = response;
    if (status === 200) return { key, status, paymentId: body.data.payment.id };
    expect([503, 504]).toContain(status);
    expect(body.error.code).toBe(status === 503 ? 'service_unavailable' : 'outcome_unknown');
    if (status === 503) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    return { key, status, paymentId: null };
  }
}
