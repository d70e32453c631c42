import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { runAtRate } from '@settle/testing';

export interface Wallet {
  readonly id: string;
  readonly token: string;
}

/** The outcome of a payment request as the caller knows it. */
export type Outcome =
  | { readonly kind: 'acknowledged'; readonly paymentId: string; readonly status: string; readonly amount: number }
  /** The response was 503: nothing was done, and the request may be repeated. */
  | { readonly kind: 'refused' }
  /** The response was 504, or the connection broke. The id is known if the response named it. */
  | { readonly kind: 'unknown'; readonly paymentId: string | null }
  /** Any other response, which no fault excuses. */
  | { readonly kind: 'wrong'; readonly what: string };

/** A payment request. Times are those of `performance.now()`. */
export interface SentPayment {
  /** Unique, so that a payment can be found by it. */
  readonly note: string;
  readonly payer: Wallet;
  readonly amount: number;
  readonly sentAtMs: number;
  readonly endedAtMs: number;
  readonly outcome: Outcome;
}

export interface LoadPlan {
  /** The public port, without a path. */
  readonly url: string;
  readonly wallets: readonly Wallet[];
  readonly perSecond: number;
  /** The prefix of every note. */
  readonly name: string;
}

const LOOK_EVERY_MS = 50;
const RESPONSE_WAIT_MS = 15_000;
const LARGEST_CENTS = 9;

/** Sends payments at a constant rate; requests that wait for a response do not delay others. */
export class PacedLoad {
  readonly ended: SentPayment[] = [];
  readonly #plan: LoadPlan;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #running: Promise<unknown>;
  #begun = 0;
  #isOver = false;

  constructor(plan: LoadPlan) {
    this.#plan = plan;
    const pace = { perSecond: plan.perSecond, isOver: () => this.#isOver };
    this.#running = runAtRate(pace, async (index) => {
      this.#begun = index + 1;
      this.ended.push(await this.#pay(this.#begun));
    });
  }

  /** Stops sending. Resolves with all requests once each has ended. */
  async stop(): Promise<readonly SentPayment[]> {
    this.#isOver = true;
    await this.#running;
    this.#agent.destroy();
    return this.ended;
  }

  /**
   * Resolves once all requests that ended in the last `spanMs` were acknowledged within `quickMs`, at the full rate. Rejects
   * with the other outcomes.
   */
  async waitUntilSteady(spanMs: number, quickMs: number, timeoutMs: number): Promise<void> {
    const deadlineMs = performance.now() + timeoutMs;
    const enough = (this.#plan.perSecond * (spanMs - quickMs)) / 1_000;
    for (;;) {
      const sinceMs = performance.now() - spanMs;
      const first = this.ended.findLastIndex(({ endedAtMs }) => endedAtMs < sinceMs) + 1;
      const late = this.ended.slice(first);
      if (late.length >= enough && late.every((sent) => isQuick(sent, quickMs))) return;
      if (performance.now() > deadlineMs)
        throw new Error(`Not steady again: ${describe(late, this.#begun - this.ended.length)}`);
      await pause(LOOK_EVERY_MS);
    }
  }

  async #pay(number: number): Promise<SentPayment> {
    const { wallets, name } = this.#plan;
    const payer = pick(wallets, number);
    // The next round pays other users.
    const payee = pick(wallets, number + 1 + (Math.floor(number / wallets.length) % (wallets.length - 1)));
    const note = `${name}-${number}`;
    const amount = (1 + (number % LARGEST_CENTS)) / 100;
    const sentAtMs = performance.now();
    const body = new URLSearchParams({ user_id: payee.id, amount: amount.toFixed(2), note }).toString();
    const outcome = await this.#post(payer.token, body).then(
      read,
      () => ({ kind: 'unknown', paymentId: null }) as const,
    );
    return { note, payer, amount, sentAtMs, endedAtMs: performance.now(), outcome };
  }

  #post(token: string, body: string): Promise<{ status: number; text: string }> {
    return new Promise((resolve, reject) => {
      const headers = {
        authorization: `Bearer ${token}`,
        'content-type': 'application/x-www-form-urlencoded',
        'content-length': Buffer.byteLength(body),
      };
      const options = { method: 'POST', agent: this.#agent, headers, timeout: RESPONSE_WAIT_MS };
      const sent = request(`${this.#plan.url}/v1/payments`, options, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        response.once('end', () => resolve({ status: response.statusCode ?? 0, text }));
        response.once('error', reject);
      });
      sent.once('timeout', () => sent.destroy(new Error('No response')));
      sent.once('error', reject);
      sent.end(body);
    });
  }
}

function isQuick({ outcome, sentAtMs, endedAtMs }: SentPayment, quickMs: number): boolean {
  return outcome.kind === 'acknowledged' && endedAtMs - sentAtMs <= quickMs;
}

function describe(sent: readonly SentPayment[], openCount: number): string {
  const kinds = new Map<string, number>();
  for (const { outcome } of sent) {
    const kind = outcome.kind === 'wrong' ? outcome.what : outcome.kind;
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  }
  const slowestMs = Math.max(0, ...sent.map(({ sentAtMs, endedAtMs }) => endedAtMs - sentAtMs));
  const counts = [...kinds].map(([kind, count]) => `${count} ${kind}`).join(', ');
  return `${counts}, the slowest after ${Math.round(slowestMs)} ms; ${openCount} wait for a response`;
}

function pick(wallets: readonly Wallet[], number: number): Wallet {
  const wallet = wallets[number % wallets.length];
  if (wallet === undefined) throw new RangeError('There are no wallets');
  return wallet;
}

interface ApiResponse {
  readonly data?: { readonly payment: { readonly id: string; readonly status: string; readonly amount: number } };
}

function read({ status, text }: { status: number; text: string }): Outcome {
  if (status === 503) return { kind: 'refused' };
  if (status === 504) return { kind: 'unknown', paymentId: /payment (\d{18,19})/.exec(text)?.[1] ?? null };
  const { data } = status === 200 ? (JSON.parse(text) as ApiResponse) : {};
  if (data === undefined) return { kind: 'wrong', what: `${status} ${text}` };
  const { id: paymentId, status: reached, amount } = data.payment;
  return { kind: 'acknowledged', paymentId, status: reached, amount };
}
