/** From half a millisecond to ten seconds, dense where most responses are. */
const BOUNDS_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** A line of a histogram: the suffix of its name, its labels and its value. */
export interface HistogramLine {
  readonly suffix: '_bucket' | '_sum' | '_count';
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Durations that have the same labels. */
export class Durations {
  /** Counts by the first bound that is not below the duration; the last counts all longer ones. */
  readonly #counts = new Array<number>(BOUNDS_SECONDS.length + 1).fill(0);
  #sumSeconds = 0;

  constructor(private readonly labels: Readonly<Record<string, string>>) {}

  observe(seconds: number): void {
    let bucket = 0;
    while (seconds > (BOUNDS_SECONDS[bucket] ?? Infinity)) bucket += 1;
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
    this.#sumSeconds += seconds;
  }

  lines(): HistogramLine[] {
    const { labels } = this;
    let count = 0;
    const buckets = this.#counts.map((ofBucket, index): HistogramLine => {
      count += ofBucket;
      const le = String(BOUNDS_SECONDS[index] ?? '+Inf');
      return { suffix: '_bucket', labels: { ...labels, le }, value: count };
    });
    return [
      ...buckets,
      { suffix: '_sum', labels, value: this.#sumSeconds },
      { suffix: '_count', labels, value: count },
    ];
  }
}

type Level = Map<string, Level | Durations>;

/** A histogram of durations. The histogram of the client library takes over a microsecond per observation. */
export class Latencies {
  readonly #first: Level = new Map();
  readonly #all: Durations[] = [];

  constructor(private readonly labelNames: readonly string[]) {}

  /** Returns the durations with these label values, in the order of the names. Values must come from a small set. */
  of(...values: readonly string[]): Durations {
    let found: Level | Durations | undefined = this.#first;
    for (const value of values) found = found instanceof Map ? found.get(value) : undefined;
    return found instanceof Durations ? found : this.#add(values);
  }

  lines(): HistogramLine[] {
    return this.#all.flatMap((durations) => durations.lines());
  }

  #add(values: readonly string[]): Durations {
    const durations = new Durations(Object.fromEntries(this.labelNames.map((name, at) => [name, values[at] ?? ''])));
    let level = this.#first;
    for (const value of values.slice(0, -1)) {
      let next = level.get(value);
      if (!(next instanceof Map)) level.set(value, (next = new Map()));
      level = next;
    }
    level.set(values.at(-1) ?? '', durations);
    this.#all.push(durations);
    return durations;
  }
}
