import { LIMITS } from '@settle/config';
import { ThrottledLog, type Logger, type Metrics } from '@settle/observability';
import { parseProblem } from '@settle/provider-api';
import type { ProviderMessage, ProviderTransport } from './provider-transport.js';

interface RequestOptions {
  readonly logger: Logger;
  readonly metrics?: Metrics | undefined;
  readonly isChecked?: () => boolean;
}

/** Sends requests and judges the answers; measures and logs what is not as it should be. */
export class ProviderRequests {
  /** While the provider is unavailable every request fails. */
  readonly #failures = new ThrottledLog(LIMITS.provider.lineEveryMs);

  constructor(
    private readonly transport: ProviderTransport,
    private readonly options: RequestOptions,
  ) {}

  /** Never rejects. @param parse returns null for what is not the answer to this request */
  async send<Value>(
    message: ProviderMessage,
    parse: (value: unknown) => Value | null,
  ): Promise<Value | 'missing' | 'unknown'> {
    // Another provider would answer that it does not know the keys, which is a final "no".
    if (message.operation !== 'provider' && this.options.isChecked?.() === false) return 'unknown';
    const beganAtMs = performance.now();
    const { outcome, value } = await this.#outcome(message, parse);
    const seconds = (performance.now() - beganAtMs) / 1_000;
    this.options.metrics?.latencies('providerRequestSeconds').of(message.operation, outcome).observe(seconds);
    if (outcome === 'missing') return 'missing';
    return value ?? 'unknown';
  }

  async #outcome<Value>(message: ProviderMessage, parse: (value: unknown) => Value | null) {
    const response = await this.transport.send(message);
    const { method, path } = message;
    if (response.status === null) return this.#failed({ method, path, reason: response.failure });
    const { status, value } = response;
    if (status === 200 || status === 201) {
      const parsed = parse(value);
      if (parsed !== null) return { outcome: 'ok', value: parsed };
      this.options.logger.error(
        { method, path },
        'the provider answered what the interface does not allow; ignoring it',
      );
      return { outcome: 'unreadable', value: null };
    }
    const code = parseProblem(value)?.error.code;
    if (status === 404 && code === 'not_found') return { outcome: 'missing', value: null };
    if (status === 409) {
      this.options.logger.error({ method, path }, 'the provider has other content under this key; asking again later');
      return { outcome: 'conflict', value: null };
    }
    return this.#failed({ method, path, reason: code ?? `status ${status}` });
  }

  #failed(facts: { readonly method: string; readonly path: string; readonly reason: string }) {
    this.#failures.record((failures) =>
      this.options.logger.warn({ ...facts, failures }, 'the provider did not answer a request; asking again later'),
    );
    return { outcome: 'failed', value: null } as const;
  }
}
