import type { LedgerKind } from '../read-models/ledger/ledger-table.js';

/** Kinds of differences: in the accounts, the read models or the published events. */
export type Kind = LedgerKind | 'topic';
export const KINDS: readonly Kind[] = ['wallets', 'transit', 'payouts', 'fees', 'funding', 'read models', 'topic'];

export interface Finding {
  readonly kind: Kind;
  readonly differences: number;
  /** First difference, by ids and columns without private values; null if there is none. */
  readonly first: string | null;
}

/** Counts differences by kind and keeps the first of each. */
export class Findings {
  readonly #found = new Map<Kind, { differences: number; first: string }>();

  add(kind: Kind, difference: string): void {
    const found = this.#found.get(kind);
    if (found === undefined) this.#found.set(kind, { differences: 1, first: difference });
    else found.differences += 1;
  }

  list(): Finding[] {
    return KINDS.map((kind) => ({ kind, differences: 0, first: null, ...this.#found.get(kind) }));
  }
}
