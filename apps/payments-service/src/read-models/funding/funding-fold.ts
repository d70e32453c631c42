import { NO_STREAM } from '@settle/event-store';
import { payoutEntry, type JournalEntry, type WalletEvent } from '@settle/payments-domain';
import type { FundingEvent, LedgerEvent } from '../../storage/streams.js';
import {
  evolveFunding,
  evolveFundingWallet,
  fundingRefsOf,
  newFundingState,
  type FundingRef,
  type FundingState,
} from './funding-unit.js';

/** A funding stream that a batch of events changes, in its state after the batch. */
export interface TouchedFunding {
  funding: FundingState;
  revision: number;
  /** Whether the batch has its first event: then it has no row yet. */
  isNew: boolean;
}

/** The journal's line of a withdrawal that was paid out. */
export interface PayoutLine {
  readonly withdrawalId: string;
  readonly entry: JournalEntry;
}

/** Returns a funding stream without events. */
export function newTouchedFunding(ref: FundingRef): TouchedFunding {
  return { funding: newFundingState(ref), revision: NO_STREAM, isNew: false };
}

/** Returns the key of a funding stream in maps. */
export function fundingKeyOf({ kind, id }: FundingRef): string {
  return `${kind}/${id}`;
}

/** Folds the events of one batch into funding streams. */
export class FundingFold {
  readonly payoutLines: PayoutLine[] = [];
  readonly #touched = new Map<string, TouchedFunding>();

  /** @param known streams that exist before the batch and that it changes, as they were before it */
  constructor(known: Iterable<TouchedFunding>) {
    for (const each of known) this.#touched.set(fundingKeyOf(each.funding), each);
  }

  touched(): Iterable<TouchedFunding> {
    return this.#touched.values();
  }

  add(event: FundingEvent & { readonly revision: number }): void {
    const touched = this.#touch(event);
    if (event.revision <= touched.revision) return;
    const before = touched.funding;
    touched.funding = evolveFunding(before, event);
    touched.revision = event.revision;
    if (event.revision === 0) touched.isNew = true;
    const { funding } = touched;
    if (event.kind !== 'withdrawal' || event.event.type !== 'WithdrawalPaid' || funding === before) return;
    if (funding.kind !== 'withdrawal' || funding.state.status !== 'paid') return;
    this.payoutLines.push({ withdrawalId: event.id, entry: payoutEntry(event.id, funding.state.facts) });
  }

  addWalletEvent(event: WalletEvent): void {
    for (const ref of fundingRefsOf(event)) {
      const touched = this.#touch(ref);
      touched.funding = evolveFundingWallet(touched.funding, event);
    }
  }

  #touch(ref: FundingRef): TouchedFunding {
    const key = fundingKeyOf(ref);
    const touched = this.#touched.get(key) ?? newTouchedFunding(ref);
    this.#touched.set(key, touched);
    return touched;
  }
}

/** Returns the funding streams that a batch changes and does not begin: their earlier state must be read. */
export function earlierFundingRefs(facts: readonly LedgerEvent[]): readonly FundingRef[] {
  const refs = new Map<string, FundingRef>();
  const begun = new Set<string>();
  for (const fact of facts) {
    if (fact.kind === 'payment') continue;
    for (const ref of fact.kind === 'wallet' ? fundingRefsOf(fact.event) : [fact]) {
      refs.set(fundingKeyOf(ref), { kind: ref.kind, id: ref.id });
    }
    if (fact.kind !== 'wallet' && fact.revision === 0) begun.add(fundingKeyOf(fact));
  }
  for (const key of begun) refs.delete(key);
  return [...refs.values()];
}
