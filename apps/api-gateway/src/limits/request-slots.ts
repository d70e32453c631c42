import { LIMITS } from '@settle/config';
import { SettleError } from '@settle/contracts';

const { slotWaitMs, appsKept } = LIMITS.gateway;

/** Made once: a refusal costs as little as can be, or the refused starve those who could be served. */
export const TOO_MANY = new SettleError('service_unavailable', 'Too many requests are in progress. Try again shortly.');
const TOO_MANY_FROM_ADDRESS = new SettleError(
  'rate_limited',
  'Too many requests without a valid access token are in progress from this address. Wait 1 s, then send this one again.',
);

export interface SlotBounds {
  /** Requests in progress. */
  readonly total: number;
  /** The part of them for one address and without a valid access token. */
  readonly perAddress: number;
}

/** An app, or an address whose requests have no valid access token. */
export interface SlotHolder {
  readonly name: string;
  readonly isApp: boolean;
  inUse: number;
  waiting: number;
}

interface Waiter {
  readonly holder: SlotHolder;
  readonly deadlineMs: number;
  readonly resolve: (holder: SlotHolder) => void;
  readonly reject: (refusal: SettleError) => void;
}

/** Part of what an address may have in progress up to which its requests wait where others are refused. */
const QUIET_ADDRESS = 1 / 8;

/**
 * The slots of requests in progress. A request that finds none is refused at once, unless its caller has few: then it
 * waits a moment for the next one, ahead of callers that have many. An app has few while it has less than half of all
 * slots. Requests without a valid access token have at most half of all slots together.
 */
export class RequestSlots {
  readonly #half: number;
  readonly #quietAddress: number;
  readonly #apps = new Map<string, SlotHolder>();
  readonly #addresses = new Map<string, SlotHolder>();
  readonly #waiters: Waiter[] = [];
  #timer: NodeJS.Timeout | undefined;
  #inUse = 0;
  #inUseByAddresses = 0;
  #waitingAddresses = 0;

  constructor(private readonly bounds: SlotBounds) {
    this.#half = Math.ceil(bounds.total / 2);
    this.#quietAddress = Math.ceil(bounds.perAddress * QUIET_ADDRESS);
  }

  get isFull(): boolean {
    return this.#inUse >= this.bounds.total;
  }

  /** Whether a request of this app would be refused now. */
  refusesApp(appId: string): boolean {
    return this.isFull && !this.#mayWait(this.#appNamed(appId));
  }

  /** Takes a slot for a request with a valid token of this app. Error: `service_unavailable`. */
  takeForApp(appId: string): SlotHolder | Promise<SlotHolder> {
    return this.#take(this.#appNamed(appId));
  }

  /** Takes a slot for a request without a valid token. Errors: `service_unavailable`, `rate_limited` for the address. */
  takeForAddress(address: string): SlotHolder | Promise<SlotHolder> {
    const holder = this.#addresses.get(address) ?? { name: address, isApp: false, inUse: 0, waiting: 0 };
    if (holder.inUse + holder.waiting >= this.bounds.perAddress) throw TOO_MANY_FROM_ADDRESS;
    const taken = this.#take(holder);
    this.#addresses.set(address, holder);
    return taken;
  }

  /** Gives a slot back. */
  release(holder: SlotHolder): void {
    this.#inUse -= 1;
    holder.inUse -= 1;
    if (!holder.isApp) this.#inUseByAddresses -= 1;
    this.#forgetIdle(holder);
    const next = this.#waiters.findIndex((waiter) => this.#hasSlotFor(waiter.holder));
    if (next !== -1) this.#endWait(next, (waiter) => waiter.resolve(this.#occupy(waiter.holder)));
  }

  #hasSlotFor({ isApp }: SlotHolder): boolean {
    return !this.isFull && (isApp || this.#inUseByAddresses < this.#half);
  }

  #mayWait({ isApp, inUse, waiting }: SlotHolder): boolean {
    if (this.#waiters.length >= this.bounds.total) return false;
    if (isApp) return inUse + waiting < this.#half;
    return inUse + waiting < this.#quietAddress && this.#waitingAddresses < this.#half;
  }

  #take(holder: SlotHolder): SlotHolder | Promise<SlotHolder> {
    if (this.#hasSlotFor(holder)) return this.#occupy(holder);
    if (!this.#mayWait(holder)) throw TOO_MANY;
    holder.waiting += 1;
    if (!holder.isApp) this.#waitingAddresses += 1;
    return new Promise((resolve, reject) => {
      this.#waiters.push({ holder, deadlineMs: performance.now() + slotWaitMs, resolve, reject });
      this.#timer ??= setTimeout(() => this.#refuseLate(), slotWaitMs);
    });
  }

  #occupy(holder: SlotHolder): SlotHolder {
    this.#inUse += 1;
    holder.inUse += 1;
    if (!holder.isApp) this.#inUseByAddresses += 1;
    return holder;
  }

  #endWait(index: number, end: (waiter: Waiter) => void): void {
    for (const waiter of this.#waiters.splice(index, 1)) {
      waiter.holder.waiting -= 1;
      if (!waiter.holder.isApp) this.#waitingAddresses -= 1;
      end(waiter);
      this.#forgetIdle(waiter.holder);
    }
  }

  /** One timer for all that wait: they are in the order of their deadlines. */
  #refuseLate(): void {
    // It may fire a fraction of a millisecond early.
    const nowMs = performance.now() + 1;
    while ((this.#waiters[0]?.deadlineMs ?? Infinity) <= nowMs) this.#endWait(0, ({ reject }) => reject(TOO_MANY));
    const [first] = this.#waiters;
    this.#timer = first && setTimeout(() => this.#refuseLate(), first.deadlineMs - nowMs);
  }

  #appNamed(appId: string): SlotHolder {
    const known = this.#apps.get(appId);
    if (known !== undefined) return known;
    const holder = { name: appId, isApp: true, inUse: 0, waiting: 0 };
    this.#apps.set(appId, holder);
    return holder;
  }

  /** Apps are kept, so that not every request of a quiet one makes a holder anew. */
  #forgetIdle({ name, isApp, inUse, waiting }: SlotHolder): void {
    if (inUse + waiting > 0) return;
    if (!isApp) this.#addresses.delete(name);
    else if (this.#apps.size > appsKept) this.#apps.delete(name);
  }
}
