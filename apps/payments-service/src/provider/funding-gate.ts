import { PeriodicTask, settlesWithin } from '@settle/concurrency';
import { LIMITS, SettingsError } from '@settle/config';
import { ThrottledLog, type Logger } from '@settle/observability';
import type { ProviderInfo } from '@settle/provider-api';

const { checkRetryMinMs, checkRetryMaxMs, readPollMs, silentLineEveryMs } = LIMITS.provider;

export interface FundingGateParts {
  /** Asks the provider what it says of itself. */
  readonly readProvider: () => Promise<ProviderInfo | 'unknown'>;
  /** Rejects with `SettingsError` if that provider must not be used. */
  readonly requireMode: (info: ProviderInfo) => Promise<void>;
  /** Whether an instance has read the list of changes to its end since the last restore. */
  readonly isReadToEnd: () => Promise<boolean>;
  readonly logger: Logger;
  /** Called if that is found after the start: this process must end. */
  readonly onRefused: (error: Error) => void;
}

/**
 * Keeps the provider unused until it was found to be the right one for this database, and keeps funding from beginning
 * until everything that happened at the provider before a restore is known. The service starts and pays from balances
 * meanwhile.
 */
export class FundingGate {
  readonly #check: PeriodicTask;
  readonly #watch: PeriodicTask;
  readonly #silence = new ThrottledLog(silentLineEveryMs);
  #isChecked = false;
  #isLive = false;
  #isReadToEnd = false;
  #refusal: Error | null = null;
  /** Whether the start of the service still waits, which then fails. */
  #isStarting = true;
  #reportFirst: () => void = () => undefined;
  #reportChecked: () => void = () => undefined;
  #reportRead: () => void = () => undefined;
  readonly #first = new Promise<void>((resolve) => (this.#reportFirst = resolve));
  readonly #read = new Promise<void>((resolve) => (this.#reportRead = resolve));

  /** Resolves once the provider may be used. Never rejects. */
  readonly whenChecked = new Promise<void>((resolve) => (this.#reportChecked = resolve));

  constructor(private readonly parts: FundingGateParts) {
    const { logger } = parts;
    this.#check = new PeriodicTask({
      run: () => this.#checkProvider(),
      everyMs: checkRetryMinMs,
      retryMaxMs: checkRetryMaxMs,
      onError: (err) => {
        this.#reportFirst();
        this.#silence.record((attempts) =>
          logger.warn({ err, attempts }, 'the provider is not known yet; nothing is charged or paid out; asking again'),
        );
      },
    });
    this.#watch = new PeriodicTask({
      run: async () => {
        this.#isReadToEnd = await parts.isReadToEnd();
        if (!this.#isReadToEnd) return undefined;
        this.#reportRead();
        return 'done';
      },
      everyMs: readPollMs,
      onError: (err) => logger.warn({ err }, 'the state of the changes was not read; retrying'),
    });
  }

  /** Whether the provider was found to be the right one. Until then only what it says of itself is read. */
  readonly isChecked = (): boolean => this.#isChecked;
  /** Whether the provider moves real money; false until it is known. */
  readonly isLive = (): boolean => this.#isLive;
  /** Whether a command may begin a charge, a deposit or a withdrawal now. */
  readonly mayBegin = (): boolean => this.#isChecked && this.#isReadToEnd;
  /** Whether a command may end what concerns the provider now, such as to cancel a payment whose charge is open. */
  readonly mayEnd = (): boolean => this.#isReadToEnd;

  /** Begins to ask, without a wait. */
  start(): void {
    this.#check.start();
    this.#watch.start();
  }

  /** Waits for the first answer, and after it for the end of the changes, each for a bounded time. Error: `SettingsError` if the provider must not be used. */
  async awaitFirst(waitMs: number): Promise<void> {
    await settlesWithin(this.#first, waitMs);
    this.#isStarting = false;
    if (this.#refusal !== null) throw this.#refusal;
    if (this.#isChecked) await settlesWithin(this.#read, waitMs);
  }

  async stop(): Promise<void> {
    await Promise.all([this.#check.stop(), this.#watch.stop()]);
  }

  async #checkProvider(): Promise<'done'> {
    const info = await this.parts.readProvider();
    if (info === 'unknown') throw new Error('The provider does not say what it is');
    try {
      await this.parts.requireMode(info);
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error;
      this.#refusal = error;
      if (!this.#isStarting) this.parts.onRefused(error);
      this.#reportFirst();
      return 'done';
    }
    [this.#isChecked, this.#isLive] = [true, info.live];
    this.#reportChecked();
    this.parts.logger.info({ provider: info.name, live: info.live }, 'the payment provider is in use');
    this.#reportFirst();
    return 'done';
  }
}
