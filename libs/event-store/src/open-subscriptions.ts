import type { Subscription } from './event-store.js';

/** The active subscriptions of a store; closing the store stops them. */
export class OpenSubscriptions<Active extends Subscription> {
  readonly #open = new Set<Active>();

  get size(): number {
    return this.#open.size;
  }

  [Symbol.iterator](): Iterator<Active> {
    return this.#open.values();
  }

  /** Adds a subscription and returns a handle whose `stop` also removes it. */
  add(subscription: Active): Subscription {
    this.#open.add(subscription);
    return {
      stop: async () => {
        this.#open.delete(subscription);
        await subscription.stop();
      },
    };
  }

  async stopAll(): Promise<void> {
    await Promise.all([...this.#open].map((subscription) => subscription.stop()));
  }
}
