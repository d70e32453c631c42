import type { MetricRow } from './metric-row.js';
import { METRICS } from './metrics-table.js';

const cell = (text: string): string => text.replaceAll('|', '\\|');

/** The text of `docs/metrics.md`: the table of metrics for operators. */
export function metricsMarkdown(): string {
  const rows = Object.values(METRICS).map(({ name, type, labels, meaning, shownBy, alarm }: MetricRow) => {
    const named = labels.map((label) => `\`${label}\``).join(', ') || '-';
    return `| \`${name}\` | ${type} | ${named} | ${cell(meaning)} | ${shownBy} | ${cell(alarm ?? '-')} |`;
  });
  return [
    '# Metrics',
    '',
    'Made from `libs/observability/src/metrics-table.ts` by `node tools/generate.mjs`: change the table, not this page.',
    '',
    '`GET /metrics` on the health port (`HEALTH_HOST`, `HEALTH_PORT`) answers in the text format of Prometheus. Each of',
    'the four services in a process of its own has it; all-in-one (`npm start`) does when `HEALTH_PORT` is set, and shows',
    'the metrics of all four there, except those of Kafka. Beside these there are the usual ones of a Node process:',
    '`process_*` (processor, memory, open files) and `nodejs_*` (event loop, heap, garbage collection); a 99th percentile',
    'of `nodejs_eventloop_lag_p99_seconds` above 0.2 for minutes means that the process has more to do than it can.',
    '',
    'Times are in seconds, money is in cents. Labels are route templates, patterns, topics, pools, outcomes and, for a',
    'bounded number of apps, client ids; never the id of a user, a name or a text. A value that cannot be read within a second, because the database is unavailable, is missing',
    'from that scrape: alarm on absence as well. A histogram has `_bucket`, `_sum` and `_count`, so it counts, too.',
    'Rules of these alarms and dashboards that can be used as they are: [monitoring](monitoring.md).',
    '',
    '| Name | Type | Labels | Meaning | Shown by | Alarm on |',
    '| --- | --- | --- | --- | --- | --- |',
    ...rows,
    '',
    '## What is not here',
    '',
    'The sums of wallets, fees and funding, and whether they agree, would take a walk through the whole journal, whose',
    'cost grows with it: too much for a scrape. `npm run ledger -- verify` recounts them,',
    'see [operations](operations.md).',
    '',
  ].join('\n');
}
