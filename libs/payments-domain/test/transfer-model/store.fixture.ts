import type { PaymentEvent } from '../../src/payment-events.js';
import type { WalletEvent } from '../../src/wallet-events.js';
import type { Chance } from './chance.fixture.js';

interface Of<Kind, Event> {
  readonly kind: Kind;
  readonly key: string;
  readonly events: readonly Event[];
  readonly expectedRevision: number;
  /** Whether it and the append before it in the unit may be stored in either order. */
  readonly isConcurrent?: boolean;
}
export type Append = Of<'payment', PaymentEvent> | Of<'wallet', WalletEvent>;

interface At<Kind, Event> {
  readonly kind: Kind;
  readonly key: string;
  readonly event: Event;
  readonly revision: number;
  readonly id: string;
}
export type Entry = At<'payment', PaymentEvent> | At<'wallet', WalletEvent>;

export interface JournalRows {
  /** By wallet: the events of one payment that the journal has. */
  readonly ofPayment: ReadonlyMap<string, readonly WalletEvent[]>;
  /** By wallet: up to which revision the journal is complete. */
  readonly completeTo: ReadonlyMap<string, number>;
}

interface StoreOptions {
  readonly adapter: 'whole' | 'prefix' | 'subset';
  readonly chance: Chance;
  readonly eventId: (streamKey: string, event: PaymentEvent | WalletEvent) => string;
  /** Called with every entry, in log order: each is a prefix that a process could find after a crash. */
  readonly onStored: (entry: Entry) => void;
}

/** Streams with expected revisions and ids as the event store's port promises them, and a journal that lags behind. */
export class ModelStore {
  readonly log: Entry[] = [];
  readonly #streams = new Map<string, Entry[]>();
  readonly #options: StoreOptions;
  /** How much of the log the journal has taken over. */
  journalLength = 0;

  constructor(options: StoreOptions) {
    this.#options = options;
  }

  payment(id: string): readonly PaymentEvent[] {
    return this.#stream(`payment-${id}`).flatMap((entry) => (entry.kind === 'payment' ? [entry.event] : []));
  }

  wallet(id: string): readonly WalletEvent[] {
    return this.#stream(`wallet-${id}`).flatMap((entry) => (entry.kind === 'wallet' ? [entry.event] : []));
  }

  journal(paymentId: string): JournalRows {
    const ofPayment = new Map<string, WalletEvent[]>();
    const completeTo = new Map<string, number>();
    for (const entry of this.log.slice(0, this.journalLength)) {
      if (entry.kind !== 'wallet') continue;
      completeTo.set(entry.key, entry.revision);
      if (entry.event.data.paymentId !== paymentId) continue;
      const rows = ofPayment.get(entry.key);
      if (rows === undefined) ofPayment.set(entry.key, [entry.event]);
      else rows.push(entry.event);
    }
    return { ofPayment, completeTo };
  }

  /**
   * A crash can fall wherever this yields: between the appends of an adapter that keeps prefixes. One that keeps subsets
   * also stores concurrent appends in any order, and one of them although another conflicts.
   */
  *append(unit: readonly Append[]): Generator<void, 'stored' | 'conflict'> {
    if (this.#options.adapter === 'whole') return this.#storeWhole(unit);
    for (const group of this.#groupsOf(unit)) {
      let isConflict = false;
      for (const append of group) {
        if (this.#storeWhole([append]) === 'conflict') isConflict = true;
        else yield;
      }
      if (isConflict) return 'conflict';
    }
    return 'stored';
  }

  /** The appends that are stored one group after the other, each group in the order of chance. */
  #groupsOf(unit: readonly Append[]): Append[][] {
    const { adapter, chance } = this.#options;
    const groups: Append[][] = [];
    for (const append of unit) {
      const group = append.isConcurrent === true && adapter === 'subset' ? groups.at(-1) : undefined;
      if (group === undefined) groups.push([append]);
      else group.splice(chance.below(group.length + 1), 0, append);
    }
    return groups;
  }

  #storeWhole(unit: readonly Append[]): 'stored' | 'conflict' {
    const entries = unit.flatMap((append) => this.#entriesOf(append));
    if (entries.every((entry) => this.#stream(nameOf(entry))[entry.revision]?.id === entry.id)) return 'stored';
    const tails = new Map<string, number>();
    for (const entry of entries) {
      const name = nameOf(entry);
      const tail = tails.get(name) ?? this.#stream(name).length - 1;
      if (entry.revision !== tail + 1) return 'conflict';
      tails.set(name, entry.revision);
    }
    for (const entry of entries) this.#store(entry);
    return 'stored';
  }

  #entriesOf(append: Append): Entry[] {
    const name = nameOf(append);
    const at = (event: PaymentEvent | WalletEvent, index: number) => ({
      key: append.key,
      revision: append.expectedRevision + 1 + index,
      id: this.#options.eventId(name, event),
    });
    if (append.kind === 'payment') {
      return append.events.map((event, index) => ({ kind: 'payment', event, ...at(event, index) }));
    }
    return append.events.map((event, index) => ({ kind: 'wallet', event, ...at(event, index) }));
  }

  #store(entry: Entry): void {
    this.log.push(entry);
    const name = nameOf(entry);
    const stream = this.#streams.get(name);
    if (stream === undefined) this.#streams.set(name, [entry]);
    else stream.push(entry);
    this.#options.onStored(entry);
  }

  #stream(name: string): readonly Entry[] {
    return this.#streams.get(name) ?? [];
  }
}

function nameOf({ kind, key }: { kind: string; key: string }): string {
  return `${kind}-${key}`;
}
