import { LIMITS } from '@settle/config';
import type { OwnedAddress } from '../user-replica/save-records.js';

/**
 * Newly verified addresses whose held pays are to be settled, one batch at a time: a million users announced at once do
 * not slow down other payments. The worker's sweep finds the pays of addresses that the queue has no room for.
 */
export class VerifiedAddressQueue {
  readonly #waiting = new Map<string, OwnedAddress>();
  #run: Promise<void> | null = null;
  #isStopped = false;

  /** @param claim settles the held pays of these addresses; it never rejects */
  constructor(private readonly claim: (addresses: readonly OwnedAddress[]) => Promise<void>) {}

  /** Adds addresses; those beyond the limit are left out. */
  add(addresses: readonly OwnedAddress[]): void {
    if (this.#isStopped) return;
    for (const address of addresses) {
      if (this.#waiting.size >= LIMITS.payments.verifiedAddressesWaiting) break;
      this.#waiting.set(`${address.kind}:${address.value}`, address);
    }
    if (this.#waiting.size > 0) this.#run ??= this.#drain();
  }

  /** Resolves after the batch in progress. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#waiting.clear();
    await this.#run;
  }

  async #drain(): Promise<void> {
    while (this.#waiting.size > 0) {
      const next = [...this.#waiting].slice(0, LIMITS.payments.verifiedAddressesPerBatch);
      for (const [key] of next) this.#waiting.delete(key);
      await this.claim(next.map(([, address]) => address));
    }
    this.#run = null;
  }
}
