/** A metric that every process of its kind has at `/metrics`. */
export interface MetricRow extends Description {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly labels: readonly string[];
}

interface Description {
  /** Absent: none. */
  readonly labels?: readonly string[];
  /** Also on the page, as help text. */
  readonly meaning: string;
  readonly shownBy: string;
  /** The condition of an alarm; absent if the metric only explains others. */
  readonly alarm?: string;
}

const metric =
  <const Type extends MetricRow['type']>(type: Type) =>
  (name: string, { labels = [], ...row }: Description) => ({ name, type, labels, ...row });

export const counter = metric('counter');
export const gauge = metric('gauge');
export const histogram = metric('histogram');

export const EVERY = 'every process';
export const GATEWAY = 'api-gateway';
export const PAYMENTS = 'payments-service';
