import { withTimeout } from '@settle/concurrency';
import { LIMITS } from '@settle/config';
import { Registry, collectDefaultMetrics, type Metric } from 'prom-client';
import { readBuildInfo } from './build-info.js';
import { Latencies } from './latencies.js';
import type { MetricRow } from './metric-row.js';
import { METRICS, type MetricKey } from './metrics-table.js';

type Labels = Readonly<Record<string, string>>;
/** One number, one for each set of labels, or null if there is none now. */
export type Reading = number | readonly (readonly [Labels, number])[] | null;
export type Read = () => Reading | Promise<Reading>;

type KeyOf<Type extends MetricRow['type']> = {
  [Key in MetricKey]: (typeof METRICS)[Key]['type'] extends Type ? Key : never;
}[MetricKey];

interface Line {
  readonly metricName: string;
  readonly labels: Labels;
  readonly value: number;
}

/** Metrics of one process at `/metrics`. Components that count anyway are read at each scrape. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #reads = new Map<MetricKey, Read[]>();
  readonly #latencies = new Map<MetricKey, Latencies>();

  /** Starts the default metrics of the process: build, processor, memory, event loop, garbage collection. */
  constructor() {
    collectDefaultMetrics({ register: this.#registry });
    const build = { ...readBuildInfo() };
    this.register('buildInfo', () => [[build, 1]]);
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** Registers a function that reads the metric. Several may read the same metric, each with its own labels. */
  register(key: KeyOf<'counter' | 'gauge'>, read: Read): void {
    const reads = this.#reads.get(key);
    if (reads !== undefined) return void reads.push(read);
    const all = [read];
    this.#reads.set(key, all);
    const { name } = METRICS[key];
    this.#register(METRICS[key], async () => {
      const readings = (await Promise.all(all.map(inTime))).flatMap(eachLabelled);
      return readings.map(([labels, value]) => ({ metricName: name, labels, value }));
    });
  }

  /** Returns the histogram of this key, always the same one. */
  latencies(key: KeyOf<'histogram'>): Latencies {
    const known = this.#latencies.get(key);
    if (known !== undefined) return known;
    const { name, labels } = METRICS[key];
    const latencies = new Latencies(labels);
    this.#latencies.set(key, latencies);
    this.#register(METRICS[key], () =>
      latencies.lines().map(({ suffix, ...line }) => ({ metricName: `${name}${suffix}`, ...line })),
    );
    return latencies;
  }

  /** The page, in the text format of Prometheus. A reading that fails or takes too long is left out. */
  text(): Promise<string> {
    return this.#registry.metrics();
  }

  #register({ name, type, meaning: help }: MetricRow, lines: () => Line[] | Promise<Line[]>): void {
    // The registry uses only these fields of a metric; its type requires a class of the library.
    const metric = { name, get: async () => ({ name, help, type, values: await lines() }) };
    this.#registry.registerMetric(metric as unknown as Metric);
  }
}

/** Reads at most once in `periodMs`, one at a time, and returns the last value meanwhile. A failure counts as null. */
export function keptFor(periodMs: number, read: () => Promise<Reading>, nowMs = () => performance.now()): Read {
  let askedAtMs = -Infinity;
  let isAsking = false;
  let last: Promise<Reading> = Promise.resolve(null);
  return () => {
    if (isAsking || nowMs() - askedAtMs < periodMs) return last;
    askedAtMs = nowMs();
    isAsking = true;
    last = read()
      .catch(() => null)
      .finally(() => (isAsking = false));
    return last;
  };
}

function inTime(read: Read): Promise<Reading> {
  const reading = (async () => read())();
  return withTimeout(reading, LIMITS.metrics.readingWaitMs, () => new Error('timeout')).catch(() => null);
}

function eachLabelled(reading: Reading): readonly (readonly [Labels, number])[] {
  if (reading === null) return [];
  return typeof reading === 'number' ? [[{}, reading]] : reading;
}
