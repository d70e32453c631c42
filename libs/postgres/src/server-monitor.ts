import { LIMITS } from '@settle/config';
import type { Logger } from '@settle/observability';

/** Checks periodically that a server runs, and restarts it when it has ended. */
export class ServerMonitor {
  #timer: NodeJS.Timeout | null = null;
  #check: Promise<void> = Promise.resolve();

  constructor(
    private readonly isRunning: () => Promise<boolean>,
    private readonly restart: () => Promise<void>,
    private readonly logger: Pick<Logger, 'warn' | 'error'>,
  ) {}

  start(): void {
    this.#timer = setTimeout(() => {
      this.#check = this.#restartIfEnded().finally(() => {
        if (this.#timer !== null) this.start();
      });
    }, LIMITS.postgres.watchEveryMs);
    this.#timer.unref();
  }

  /** Stops the checks and waits for a restart in progress, which would otherwise leave a server running. */
  async stop(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    await this.#check;
  }

  async #restartIfEnded(): Promise<void> {
    if (await this.isRunning()) return;
    try {
      await this.restart();
      this.logger.warn('embedded PostgreSQL ended unexpectedly; restarted it');
    } catch (err) {
      this.logger.error({ err }, 'embedded PostgreSQL ended and could not be restarted; retrying');
    }
  }
}
