import type { Subscription } from './event-store.js';

/** The subscriptions of one store that have not been stopped; closing the store stops them. */
export class OpenSubscriptions<Following extends Subscription> {
  readonly #open = new Set<Following>();

  get size(): number {
    return this.#open.size;
  }

  [Symbol.iterator](): Iterator<Following> {
    return this.#open.values();
  }

  /** What the subscriber holds: its stop also takes the subscription out of the store's books. */
  add(following: Following): Subscription {
    this.#open.add(following);
    return {
      stop: async () => {
        this.#open.delete(following);
        await following.stop();
      },
    };
  }

  async stopAll(): Promise<void> {
    await Promise.all([...this.#open].map((following) => following.stop()));
  }
}
