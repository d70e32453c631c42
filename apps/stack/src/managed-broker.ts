import { setTimeout as pause } from 'node:timers/promises';
import { startKafka, type KafkaOptions, type RunningKafka } from '@settle/local-kafka';
import type { Logger } from '@settle/observability';
import { RestartBackoff } from './restart-backoff.js';

/** The broker of this stack, started again when it dies, until it is stopped. */
export class ManagedBroker {
  readonly #restartPause = new RestartBackoff();
  readonly #stop = new AbortController();
  #kafka: RunningKafka | null = null;
  #life: Promise<void> = Promise.resolve();
  #held: Promise<void> | null = null;
  #letGo: () => void = () => undefined;

  private constructor(
    private readonly options: KafkaOptions,
    private readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>,
  ) {}

  static async start(options: KafkaOptions, logger: Pick<Logger, 'info' | 'warn' | 'error'>): Promise<ManagedBroker> {
    const broker = new ManagedBroker(options, logger);
    const kafka = await startKafka(options);
    broker.#kafka = kafka;
    broker.#life = broker.#keep(kafka);
    return broker;
  }

  /** Null while none runs. */
  get pid(): number | null {
    return this.#kafka?.pid ?? null;
  }

  /** Stops the broker and leaves it stopped until `letGo`. */
  async hold(): Promise<void> {
    this.#held ??= new Promise((resolve) => (this.#letGo = resolve));
    await this.#kafka?.stop();
  }

  letGo(): void {
    this.#held = null;
    this.#letGo();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    this.letGo();
    await this.#kafka?.stop();
    await this.#life;
  }

  async #keep(first: RunningKafka): Promise<void> {
    let kafka: RunningKafka | null = first;
    while (!this.#stop.signal.aborted) {
      const bornAtMs = performance.now();
      const how = kafka === null ? 'did not start' : await kafka.ended;
      this.#kafka = null;
      await this.#held;
      if (this.#stop.signal.aborted) return;
      const pauseMs = this.#restartPause.afterLife(performance.now() - bornAtMs);
      this.logger.warn({ how }, `Kafka has ended and is started again in ${pauseMs} ms`);
      await pause(pauseMs, undefined, { signal: this.#stop.signal }).catch(() => undefined);
      if (this.#stop.signal.aborted) return;
      kafka = await this.#startAgain();
    }
    await kafka?.stop();
  }

  async #startAgain(): Promise<RunningKafka | null> {
    try {
      const kafka = await startKafka(this.options);
      this.#kafka = kafka;
      this.logger.info('Kafka runs again');
      return kafka;
    } catch (err) {
      this.logger.error({ err }, 'Kafka does not start, another try follows');
      return null;
    }
  }
}
