/** What may be found wrong: with money in one of its places, with a read model, or with the published events. */
export const KINDS = ['wallets', 'transit', 'fees', 'funding', 'read models', 'topic'] as const;
export type Kind = (typeof KINDS)[number];

export interface Finding {
  readonly kind: Kind;
  readonly differences: number;
  /** Names ids and columns, never values that may be private; null when nothing differs. */
  readonly first: string | null;
}

/** Counts differences by kind, and keeps the first of each. */
export class Findings {
  readonly #found = new Map<Kind, { differences: number; first: string }>();

  note(kind: Kind, difference: string): void {
    const found = this.#found.get(kind);
    if (found === undefined) this.#found.set(kind, { differences: 1, first: difference });
    else found.differences += 1;
  }

  list(): Finding[] {
    return KINDS.map((kind) => ({ kind, differences: 0, first: null, ...this.#found.get(kind) }));
  }
}
