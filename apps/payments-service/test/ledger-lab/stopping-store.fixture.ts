import type {
  AppendResult,
  AppendUnit,
  EventStore,
  ReadOptions,
  StoredEvent,
  StreamAppend,
  SubscribeOptions,
  Subscription,
} from '@settle/event-store';

/** Describes an append by the types of its events. The opening of a wallet is not a step. */
export function stepOf({ events }: StreamAppend): string {
  const types = events.map(({ type }) => type).filter((type) => type !== 'WalletOpened');
  return types.join('+');
}

/**
 * Stores each unit append by append, as some event logs do, and ends the process after one of them: nothing that
 * comes later is stored, and no caller gets a response.
 */
export class StoppingStore implements EventStore {
  readonly steps: string[] = [];
  #isStopped = false;
  #stopAfter: string | null = null;

  /** @param storesConcurrentFirst whether a concurrent append is stored before the one before it */
  constructor(
    private readonly store: EventStore,
    private readonly storesConcurrentFirst = false,
  ) {}

  /** @param stepName null: never */
  stopAfter(stepName: string | null): void {
    this.#stopAfter = stepName;
    this.steps.length = 0;
  }

  async append(unit: AppendUnit): Promise<AppendResult> {
    let position = 0;
    for (const append of this.storesConcurrentFirst ? withConcurrentFirst(unit) : unit) {
      this.#refuseStopped();
      ({ position } = await this.store.append([append]));
      this.steps.push(stepOf(append));
      this.#isStopped = stepOf(append) === this.#stopAfter;
    }
    this.#refuseStopped();
    return { position };
  }

  async readStream(stream: string, options: ReadOptions): Promise<StoredEvent[]> {
    this.#refuseStopped();
    return this.store.readStream(stream, options);
  }

  subscribe(options: SubscribeOptions): Subscription {
    return this.store.subscribe(options);
  }

  newestPosition(): Promise<number> {
    return this.store.newestPosition();
  }

  close(): Promise<void> {
    return this.store.close();
  }

  #refuseStopped(): void {
    if (this.#isStopped) throw new ProcessStopped();
  }
}

function withConcurrentFirst(unit: AppendUnit): StreamAppend[] {
  const appends: StreamAppend[] = [];
  for (const append of unit) appends.splice(append.isConcurrent === true ? -1 : appends.length, 0, append);
  return appends;
}

export class ProcessStopped extends Error {}
