import { setTimeout as pause } from 'node:timers/promises';
import { MAX_PAGE_SIZE } from '@settle/contracts';
import { eventually } from '@settle/testing';
import { call } from '../client.js';
import type { WirePayment } from '../wire.js';
import type { SentPayment, Wallet } from '../paced-load.fixture.js';

/** An unknown outcome is final this long after the missing response. */
const FINAL_AFTER_MS = 10_000;
const READ_TIMEOUT_MS = 20_000;
const PAGE = String(MAX_PAGE_SIZE);
const READERS = 8;

/** Finds the outcome of payments by reading, as a caller does. `url` is the public port, without a path. */
export class PaymentsReader {
  constructor(private readonly url: string) {}

  /** Returns the notes of those payments whose response was lost that took effect, once that is final. */
  async findThoseThatHappened(sent: readonly SentPayment[], sinceMs: number): Promise<ReadonlySet<string>> {
    const unknown = sent.filter(({ outcome }) => outcome.kind === 'unknown');
    const outcomes = await Promise.all(unknown.map((each) => this.resolve(each, sinceMs)));
    return new Set(unknown.filter((_, at) => outcomes[at] === 'happened').map(({ note }) => note));
  }

  /** Returns the outcome of a payment whose response was lost, once it is final. */
  async resolve(
    { payer, note, outcome, endedAtMs }: SentPayment,
    sinceMs: number,
  ): Promise<'happened' | 'did not happen'> {
    if (outcome.kind !== 'unknown') throw new Error('Its outcome is known');
    await pause(Math.max(0, endedAtMs + FINAL_AFTER_MS - performance.now()));
    if (outcome.paymentId !== null) return (await this.#one(payer, outcome.paymentId)) ? 'happened' : 'did not happen';
    const found = await this.listOf(payer, sinceMs);
    return found.some((payment) => payment.note === note) ? 'happened' : 'did not happen';
  }

  /** Returns the payments that these wallets created since a time in milliseconds since 1970, by note. */
  async byNote(wallets: readonly Wallet[], sinceMs: number): Promise<ReadonlyMap<string, readonly WirePayment[]>> {
    const found = new Map<string, WirePayment[]>();
    const left = wallets.values();
    const reader = async () => {
      for (const wallet of left) {
        for (const payment of await this.listOf(wallet, sinceMs)) {
          found.set(payment.note, [...(found.get(payment.note) ?? []), payment]);
        }
      }
    };
    await Promise.all(Array.from({ length: READERS }, reader));
    return found;
  }

  /** Returns the payments that a wallet created since then, newest first. */
  async listOf({ id, token }: Wallet, sinceMs: number): Promise<readonly WirePayment[]> {
    const found: WirePayment[] = [];
    const query = new URLSearchParams({ actor: id, limit: PAGE, after: new Date(sinceMs).toISOString() });
    let next: string | null = `${this.url}/v1/payments?${query.toString()}`;
    while (next !== null) {
      const page: { readonly data: WirePayment[]; readonly next: string | null } = await this.#page(next, token);
      found.push(...page.data);
      next = page.next === null ? null : `${this.url}${new URL(page.next).pathname}${new URL(page.next).search}`;
    }
    return found;
  }

  #page(address: string, token: string) {
    return eventually(
      async () => {
        const { status, body, text } = await call<WirePayment[]>(address, { token });
        if (status !== 200) throw new Error(`A list returned ${status} ${text}`);
        return { data: body.data, next: body.pagination.next };
      },
      { timeoutMs: READ_TIMEOUT_MS },
    );
  }

  #one({ token }: Wallet, paymentId: string): Promise<boolean> {
    return eventually(
      async () => {
        const { status, text } = await call(`${this.url}/v1/payments/${paymentId}`, { token });
        if (status !== 200 && status !== 404) throw new Error(`A payment returned ${status} ${text}`);
        return status === 200;
      },
      { timeoutMs: READ_TIMEOUT_MS },
    );
  }
}
