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
