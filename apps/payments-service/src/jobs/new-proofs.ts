import { LIMITS } from '@settle/config';
import type { OwnedAddress } from '../user-replica/save-records.js';

/**
 * Addresses that were proven just now and wait for a look at what is held for them: one look at a time, so that a
 * million people announced at once take nothing from anybody. The worker's sweep finds what is left out here.
 */
export class NewProofs {
  readonly #waiting = new Map<string, OwnedAddress>();
  #run: Promise<void> | null = null;
  #isStopped = false;

  /** @param claim settles what is held for these; it rejects never */
  constructor(private readonly claim: (addresses: readonly OwnedAddress[]) => Promise<void>) {}

  /** Those for which there is no room are left out. */
  add(addresses: readonly OwnedAddress[]): void {
    if (this.#isStopped) return;
    for (const address of addresses) {
      if (this.#waiting.size >= LIMITS.payments.proofsWaiting) break;
      this.#waiting.set(`${address.kind}:${address.value}`, address);
    }
    if (this.#waiting.size > 0) this.#run ??= this.#workOff();
  }

  /** Ends with the look that is under way. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#waiting.clear();
    await this.#run;
  }

  async #workOff(): Promise<void> {
    while (this.#waiting.size > 0) {
      const next = [...this.#waiting].slice(0, LIMITS.payments.proofsPerLook);
      for (const [key] of next) this.#waiting.delete(key);
      await this.claim(next.map(([, address]) => address));
    }
    this.#run = null;
  }
}
