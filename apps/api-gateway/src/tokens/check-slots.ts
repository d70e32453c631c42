import { LIMITS } from '@settle/config';
import { SettleError } from '@settle/contracts';
import { callerAtAddress } from '@settle/lifecycle';

const { tokenChecks, tokenChecksPerAddress } = LIMITS.gateway;

const TOO_MANY = new SettleError(
  'service_unavailable',
  'Too many access tokens are being looked up. Try again shortly.',
);
const TOO_MANY_FROM_ADDRESS = new SettleError(
  'rate_limited',
  'Too many access tokens from this address are being looked up. Wait 1 s, then send this one again.',
);

/** Bounds how many unknown access tokens are looked up at once, in total and per address. */
export class CheckSlots {
  readonly #byCaller = new Map<string, number>();
  #inUse = 0;

  /** Takes a slot; returns the caller for whom it counts. Errors: `service_unavailable`, `rate_limited`. */
  take(address: string): string {
    const caller = callerAtAddress(address);
    const ofCaller = this.#byCaller.get(caller) ?? 0;
    if (ofCaller >= tokenChecksPerAddress) throw TOO_MANY_FROM_ADDRESS;
    if (this.#inUse >= tokenChecks) throw TOO_MANY;
    this.#inUse += 1;
    this.#byCaller.set(caller, ofCaller + 1);
    return caller;
  }

  release(caller: string): void {
    this.#inUse -= 1;
    const left = (this.#byCaller.get(caller) ?? 1) - 1;
    if (left === 0) this.#byCaller.delete(caller);
    else this.#byCaller.set(caller, left);
  }
}
