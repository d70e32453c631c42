import { randomUUID } from 'node:crypto';
import { Semaphore } from '@settle/concurrency';
import { LIMITS, newestSecret } from '@settle/config';
import type { Metrics } from '@settle/observability';
import { MAX_BODY_BYTES, signMessage } from '@settle/provider-api';
import { Pool, type Dispatcher } from 'undici';
import type { Clock } from '../storage/clock.js';
import { readBody } from './read-body.js';

const { connectMs, totalMs, moneySlots, moneyWaiting, otherSlots, otherWaiting } = LIMITS.provider;

export interface ProviderAddress {
  /** The base address, without a slash at the end. */
  readonly url: string;
  /** One or two secrets, separated by white space, as they stand in the file. */
  readonly secret: string;
}

export interface TransportOptions {
  readonly provider: ProviderAddress;
  readonly clock: Clock;
  readonly metrics?: Metrics | undefined;
  /** By default those of `LIMITS.provider`. */
  readonly timeouts?: { readonly connectMs: number; readonly totalMs: number };
}

export interface ProviderMessage {
  /** The label of the metrics. */
  readonly operation: string;
  readonly method: 'GET' | 'PUT' | 'POST';
  /** Below the base address, with a slash at its start. */
  readonly path: string;
  readonly body?: object;
  /** Whether it concerns one amount of money; such requests have slots of their own. */
  readonly isMoney: boolean;
}

/** A complete answer whose body is JSON of at most `MAX_BODY_BYTES`; or why there is none. */
export type ProviderResponse =
  { readonly status: number; readonly value: unknown } | { readonly status: null; readonly failure: string };

/** Sends signed requests to the payment provider, a bounded number at once. Follows no redirects. */
export class ProviderTransport {
  readonly #pool: Pool;
  readonly #basePath: string;
  readonly #timeouts: { readonly connectMs: number; readonly totalMs: number };
  readonly #slots = {
    money: new Semaphore({ slots: moneySlots, waiting: moneyWaiting }),
    other: new Semaphore({ slots: otherSlots, waiting: otherWaiting }),
  };
  #running = 0;

  constructor(private readonly options: TransportOptions) {
    const { url, metrics } = { ...options, url: new URL(options.provider.url) };
    this.#timeouts = options.timeouts ?? { connectMs, totalMs };
    this.#basePath = url.pathname.replace(/\/+$/, '');
    this.#pool = new Pool(url.origin, {
      connections: moneySlots + otherSlots,
      connect: { timeout: this.#timeouts.connectMs },
      maxResponseSize: MAX_BODY_BYTES,
    });
    const { money, other } = this.#slots;
    metrics?.register('providerRequestsInProgress', () => [
      [{ state: 'running' }, this.#running],
      [{ state: 'waiting' }, money.waiting + other.waiting],
    ]);
  }

  /** Never rejects. */
  async send(message: ProviderMessage): Promise<ProviderResponse> {
    const slots = message.isMoney ? this.#slots.money : this.#slots.other;
    const signal = AbortSignal.timeout(this.#timeouts.totalMs);
    if (!(await slots.acquire(this.#timeouts.totalMs))) return failure('no free slot');
    this.#running += 1;
    try {
      return await this.#exchange(message, signal);
    } catch (error) {
      const { name, code = name } = error as Error & { readonly code?: string };
      return failure(signal.aborted ? 'timeout' : code);
    } finally {
      this.#running -= 1;
      slots.release();
    }
  }

  /** Ends requests in progress. */
  async close(): Promise<void> {
    await this.#pool.destroy();
  }

  async #exchange({ method, path, body }: ProviderMessage, signal: AbortSignal): Promise<ProviderResponse> {
    const text = body === undefined ? '' : JSON.stringify(body);
    const {
      statusCode: status,
      headers,
      ...response
    } = await this.#pool.request({
      method,
      path: `${this.#basePath}${path}`,
      headers: {
        ...this.#headers(text),
        ...(body && { 'content-type': 'application/json' }),
        accept: 'application/json',
      },
      body: body === undefined ? null : text,
      signal,
    });
    if (!isPlainJson(headers)) {
      response.body.on('error', () => undefined).destroy();
      return { status, value: undefined };
    }
    const bytes = await readBody(response.body);
    if (bytes === null) throw new RangeError('The answer is too large.');
    return { status, value: parseJson(bytes) };
  }

  #headers(body: string): Record<string, string> {
    const secrets = newestSecret(this.options.provider.secret).split(/\s+/);
    const timestampSeconds = Math.floor(this.options.clock.machineMs() / 1_000);
    return { ...signMessage({ id: randomUUID(), timestampSeconds, body }, secrets) };
  }
}

function failure(reason: string): ProviderResponse {
  return { status: null, failure: reason };
}

function isPlainJson(headers: Dispatcher.ResponseData['headers']): boolean {
  const [type, encoding = 'identity'] = [headers['content-type'], headers['content-encoding']];
  return typeof type === 'string' && /^application\/json\s*(;|$)/i.test(type) && encoding === 'identity';
}

/** Returns undefined if it is not JSON in UTF-8. */
function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}
