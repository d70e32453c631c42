import type { EventStore } from '@settle/event-store';

/** The store, with what a spec does in the place of some of its calls. */
export function altered(store: EventStore, instead: Partial<EventStore>): EventStore {
  return {
    append: (unit) => store.append(unit),
    readStream: (stream, options) => store.readStream(stream, options),
    newestPosition: () => store.newestPosition(),
    subscribe: (options) => store.subscribe(options),
    close: () => store.close(),
    ...instead,
  };
}

/** A store from which read models of sums get nothing before `release`. */
export function holdingSums(): { readonly wrapStore: (store: EventStore) => EventStore; readonly release: () => void } {
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  const wrapStore = (store: EventStore) =>
    altered(store, {
      subscribe: (options) =>
        store.subscribe({
          ...options,
          handle: async (events, upTo) => {
            // The ledger's read models follow the streams of wallets, too.
            if (options.streamPrefixes.length === 1) await held;
            await options.handle(events, upTo);
          },
        }),
    });
  return { wrapStore, release: () => release() };
}
