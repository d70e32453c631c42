import { METRICS, type MetricKey } from '../metrics-table.js';

/** Samples of a time series, one a minute, in the notation of `promtool test rules`, by the series. */
export type Series = Readonly<Record<string, string>>;

/** A rule that tells operators that something is wrong. */
export interface Alarm {
  readonly name: string;
  /** PromQL. It has a value while something is wrong. */
  readonly expr: string;
  /** How long something has to be wrong before the alarm fires. */
  readonly forMinutes: number;
  /** `page`: an operator has to look now, day or night. `ticket`: within a working day. */
  readonly severity: 'page' | 'ticket';
  /** One line; may name labels of the expression as `{{ $labels.name }}`. */
  readonly summary: string;
  /** The next step of the operator. */
  readonly description: string;
  /** A page of `docs` and a heading in it: `operations.md#scale`. */
  readonly runbook: string;
  /** An hour of samples after which the alarm fires. */
  readonly fires: Series;
  /** An hour of samples after which it does not fire, close to those after which it does. */
  readonly quiet: Series;
}

/** Returns PromQL, or the name of a series, with the name of each metric in place of its key in the table of metrics. */
export const promql = (texts: TemplateStringsArray, ...keys: readonly MetricKey[]): string =>
  String.raw({ raw: texts }, ...keys.map((key) => METRICS[key].name));

/** Returns the names and the label names of metrics of the table, per name as it is in PromQL. */
export function namesInPromql(): ReadonlyMap<string, readonly string[]> {
  return new Map(
    Object.values(METRICS).flatMap(({ name, type, labels }): [string, readonly string[]][] => {
      if (type !== 'histogram') return [[name, labels]];
      return [
        [`${name}_count`, labels],
        [`${name}_sum`, labels],
        [`${name}_bucket`, [...labels, 'le']],
      ];
    }),
  );
}
