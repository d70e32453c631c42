import { LIMITS } from '@settle/config';
import type { OwnedAddress } from '../user-replica/save-records.js';
import { VerifiedAddressQueue } from './verified-address-queue.js';

const { verifiedAddressesPerBatch, verifiedAddressesWaiting } = LIMITS.payments;

const address = (index: number): OwnedAddress => ({ kind: 'email', value: `${index}@example.com`, userId: `${index}` });
const addresses = (from: number, count: number) => Array.from({ length: count }, (_, index) => address(from + index));

/** Searches that end when the spec says so. */
class Looks {
  readonly begun: (readonly OwnedAddress[])[] = [];
  #end = () => {};

  readonly look = (looked: readonly OwnedAddress[]): Promise<void> => {
    this.begun.push(looked);
    return new Promise((resolve) => (this.#end = resolve));
  };

  /** Ends the lookup in progress and lets the next one start. */
  async end(): Promise<void> {
    this.#end();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('new proofs', () => {
  it('given a lookup in progress, when more addresses are verified, then they wait and are looked up together, once', async () => {
    const looks = new Looks();
    const proofs = new VerifiedAddressQueue(looks.look);
    proofs.add([address(1)]);
    proofs.add([address(2)]);
    proofs.add([address(3), address(2)]);
    proofs.add([]);
    expect(looks.begun).toEqual([[address(1)]]);
    await looks.end();
    expect(looks.begun.slice(1)).toEqual([[address(2), address(3)]]);
    await looks.end();
    proofs.add([address(2)]);
    expect(looks.begun.slice(2)).toEqual([[address(2)]]);
  });

  it('given a million proofs, when they come without a pause, then so many wait as there is room for', async () => {
    const looks = new Looks();
    const proofs = new VerifiedAddressQueue(looks.look);
    for (let from = 0; from < 1_000_000; from += 500) proofs.add(addresses(from, 500));
    const most = verifiedAddressesWaiting / verifiedAddressesPerBatch + 1;
    for (let look = 1; look <= most + 1; look += 1) await looks.end();
    expect(looks.begun.length).toBe(most);
    expect(Math.max(...looks.begun.map(({ length }) => length))).toBe(verifiedAddressesPerBatch);
    proofs.add([address(7)]);
    expect(looks.begun.at(-1)).toEqual([address(7)]);
  });

  it('given waiting verifications, when it is stopped, then it ends with the current lookup and starts none', async () => {
    const looks = new Looks();
    const proofs = new VerifiedAddressQueue(looks.look);
    proofs.add([address(1)]);
    proofs.add([address(2)]);
    let isStopped = false;
    const stopped = proofs.stop().then(() => (isStopped = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect(isStopped).toBe(false);
    await looks.end();
    await stopped;
    proofs.add([address(3)]);
    expect(looks.begun).toEqual([[address(1)]]);
  });
});
