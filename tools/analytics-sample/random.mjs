/** Random numbers that a seed repeats. */
export class SeededRandom {
  #state;

  /** @param seed a whole number */
  constructor(seed) {
    this.#state = seed >>> 0;
  }

  /** Returns a number from 0 up to, and without, 1. The algorithm is mulberry32. */
  next() {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** Returns a whole number from 0 up to, and without, `end`. */
  below(end) {
    return Math.floor(this.next() * end);
  }

  /** Returns whether something of this probability happens. */
  happens(probability) {
    return this.next() < probability;
  }

  pick(list) {
    return list[this.below(list.length)];
  }

  /** Returns a key of `weights`, each as often as its weight says. They add up to 1. */
  weighted(weights) {
    let rest = this.next();
    for (const [name, weight] of Object.entries(weights)) {
      rest -= weight;
      if (rest < 0) return name;
    }
    return Object.keys(weights).at(-1);
  }

  /** Returns a value whose logarithm is normally distributed, as amounts and delays are. */
  logNormal(median, sigma) {
    const radius = Math.sqrt(-2 * Math.log(1 - this.next()));
    return median * Math.exp(sigma * radius * Math.cos(2 * Math.PI * this.next()));
  }

  /** Returns a UUID. */
  uuid() {
    const hex = Array.from({ length: 32 }, () => this.below(16).toString(16)).join('');
    const variant = '89ab'[this.below(4)];
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
  }
}
