import { startKafka, type KafkaOptions, type RunningKafka } from '@settle/local-kafka';
import type { Logger } from '@settle/observability';
import { keepRunning } from './keep-running.js';

/** The broker of this stack, started again when it dies, until it is stopped. */
export class ManagedBroker {
  readonly #stop = new AbortController();
  #kafka: RunningKafka | null = null;
  #running: Promise<void> = Promise.resolve();
  #held: PromiseWithResolvers<void> | null = null;

  constructor(
    private readonly options: KafkaOptions,
    private readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>,
  ) {}

  async start(): Promise<void> {
    this.#kafka = await startKafka(this.options);
    this.#running = keepRunning(this.#untilEnded(this.#kafka), {
      start: () => this.#startAgain(),
      signal: this.#stop.signal,
      onEnd: (how, pauseMs) => this.logger.warn({ how }, `Kafka has ended and is started again in ${pauseMs} ms`),
    });
  }

  /** Null while none runs. */
  get pid(): number | null {
    return this.#kafka?.pid ?? null;
  }

  /** Stops the broker and leaves it stopped until `letGo`. */
  async hold(): Promise<void> {
    this.#held ??= Promise.withResolvers();
    await this.#kafka?.stop();
  }

  letGo(): void {
    this.#held?.resolve();
    this.#held = null;
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    this.letGo();
    await this.#kafka?.stop();
    await this.#running;
  }

  async #startAgain(): Promise<{ ended: Promise<string> }> {
    try {
      this.#kafka = await startKafka(this.options);
    } catch (err) {
      this.logger.error({ err }, 'Kafka does not start; retrying');
      await this.#held?.promise;
      return { ended: Promise.resolve('did not start') };
    }
    if (this.#stop.signal.aborted) await this.#kafka.stop();
    else this.logger.info('Kafka runs again');
    return { ended: this.#untilEnded(this.#kafka) };
  }

  /** Resolves with how the broker ended; while it is held, only after that. */
  async #untilEnded({ ended }: RunningKafka): Promise<string> {
    const how = await ended;
    this.#kafka = null;
    await this.#held?.promise;
    return how;
  }
}
