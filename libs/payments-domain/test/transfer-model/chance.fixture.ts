/** Choices that one number fixes: the same seed walks the same way again. */
export interface Chance {
  /** A whole number from 0 up to, not including, `limit`. */
  below(limit: number): number;
  hits(probability: number): boolean;
  pick<Item>(items: readonly [Item, ...Item[]]): Item;
}

/** A linear congruential generator: 2^32 states, only its upper half is looked at. Good enough to choose who moves. */
export function chanceFrom(seed: number): Chance {
  let state = seed >>> 0;
  const below = (limit: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor(((state >>> 16) / 65536) * limit);
  };
  return {
    below,
    hits: (probability) => below(1000) < probability * 1000,
    pick: (items) => items[below(items.length)] ?? items[0],
  };
}
