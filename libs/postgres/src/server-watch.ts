import { LIMITS } from '@settle/config';
import type { Logger } from '@settle/observability';

/** Looks now and then whether a server still runs, and starts it again when somebody else has ended it. */
export class ServerWatch {
  #timer: NodeJS.Timeout | null = null;
  #looking: Promise<void> = Promise.resolve();

  constructor(
    private readonly isRunning: () => Promise<boolean>,
    private readonly startAgain: () => Promise<void>,
    private readonly logger: Pick<Logger, 'warn' | 'error'>,
  ) {}

  start(): void {
    this.#timer = setTimeout(() => {
      this.#looking = this.#look().finally(() => {
        if (this.#timer !== null) this.start();
      });
    }, LIMITS.postgres.watchEveryMs);
    this.#timer.unref();
  }

  /** Waits for a start that is under way: a server that came up behind the back of a stop would outlive the process. */
  async stop(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    await this.#looking;
  }

  async #look(): Promise<void> {
    if (await this.isRunning()) return;
    try {
      await this.startAgain();
      this.logger.warn('The embedded PostgreSQL had ended and was started again');
    } catch (err) {
      this.logger.error({ err }, 'The embedded PostgreSQL has ended and does not start, another try follows');
    }
  }
}
