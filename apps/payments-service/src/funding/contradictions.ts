import { NO_STREAM, type EventStore } from '@settle/event-store';
import type { Logger } from '@settle/observability';
import {
  NO_CONTRADICTION,
  evolveContradiction,
  type Contradiction,
  type ContradictionState,
} from '@settle/payments-domain';
import type { Clock } from '../storage/clock.js';
import { WHOLE_FUNDING, fundingStream, readLedgerEvent } from '../storage/streams.js';
import { appendToFunding } from './funding-appends.js';

/** Stores and logs answers of the provider that contradict the ledger. They move no money: an operator looks at them. */
export class Contradictions {
  constructor(private readonly parts: { readonly store: EventStore; readonly clock: Clock; readonly logger: Logger }) {}

  /**
   * Stores a contradiction about a provider's key, once for each kind until an operator closes it. Errors: the store's.
   * @param version of the provider's object; 0 if it was not read from a change
   */
  async record(key: string, contradiction: Contradiction, version = 0): Promise<void> {
    const { store, clock, logger } = this.parts;
    const { state, revision } = await readContradiction(store, key);
    if (state.status === 'open' && state.contradiction === contradiction) return;
    logger.error({ key, contradiction, version }, 'the provider contradicts the ledger; nothing is moved');
    const data = { key, contradiction, version, atUs: clock.nowUs() };
    const event = { type: 'ContradictionFound', data } as const;
    // After a conflict another instance has stored one meanwhile.
    await appendToFunding(store, [{ kind: 'contradiction', id: key, event }], revision);
  }

  /** Returns what is stored about a provider's key. Errors: the store's. */
  async read(key: string): Promise<ContradictionState> {
    return (await readContradiction(this.parts.store, key)).state;
  }
}

/** The contradictions about a key of the provider, with the newest revision of their stream. */
export interface StoredContradiction {
  readonly state: ContradictionState;
  readonly revision: number;
}

/** Reads the contradictions about a key of the provider. Errors: the store's. */
export async function readContradiction(
  store: Pick<EventStore, 'readStream'>,
  key: string,
): Promise<StoredContradiction> {
  const stored = await store.readStream(fundingStream('contradiction', key), WHOLE_FUNDING);
  let state = NO_CONTRADICTION;
  for (const each of stored) {
    const fact = readLedgerEvent(each);
    if (fact.kind === 'contradiction') state = evolveContradiction(state, fact.event);
  }
  return { state, revision: stored.at(-1)?.revision ?? NO_STREAM };
}
