import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { DASHBOARDS } from '../dashboards/dashboards-table.js';
import { METRICS } from '../metrics-table.js';
import type { MetricRow } from '../metric-row.js';
import { namesInPromql } from './alarm.js';
import { ALARMS } from './alarms-table.js';

const docs = path.join(import.meta.dirname, '../../../../docs');
const alarms = Object.values(ALARMS).flat();
const queries = DASHBOARDS.flatMap(({ name, rows }) =>
  rows.flatMap(({ panels }) =>
    panels.flatMap((panel) => panel.queries.map(({ expr }) => ({ where: `${name}: ${panel.title}`, expr }))),
  ),
);
const expressions = [...alarms.map(({ name, expr }) => ({ where: name, expr })), ...queries];
const series = alarms.flatMap(({ name, fires, quiet }) =>
  [...Object.keys(fires), ...Object.keys(quiet)].map((expr) => ({ where: name, expr })),
);

/** Labels that Prometheus adds to each series. */
const TARGET_LABELS = ['instance', 'job'];

/** Returns the names of our metrics in PromQL that do not exist, and the labels in braces that their metric does not have. */
function mistakesIn(expr: string): string[] {
  const known = namesInPromql();
  return [...expr.matchAll(/(settle_\w+)(?:\{([^}]*)\})?/g)].flatMap(([, name = '', matchers = '']) => {
    const labels = known.get(name);
    if (labels === undefined) return [name];
    const matched = [...matchers.matchAll(/(\w+)\s*[!=]/g)].map(([, label = '']) => label);
    return matched
      .filter((label) => ![...labels, ...TARGET_LABELS].includes(label))
      .map((label) => `${name}{${label}}`);
  });
}

/** Returns the anchors of a page, as they are made from its headings. */
const anchorsOf = (page: string): string[] =>
  [...readFileSync(path.join(docs, page), 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );

describe('the names in alarms and dashboards', () => {
  it.each([...expressions, ...series])(
    'given $where, when $expr is read, then the table of metrics has each name and label',
    ({ expr }) => {
      expect(mistakesIn(expr)).toEqual([]);
    },
  );

  it('given a name or a label that does not exist, when it is read, then it is found', () => {
    expect(mistakesIn('rate(settle_nothing_total[5m]) / settle_outbox_rows{pool="a"}')).toEqual([
      'settle_nothing_total',
      'settle_outbox_rows{pool}',
    ]);
    expect(mistakesIn('settle_http_request_duration_seconds')).toHaveLength(1);
  });

  it.each(expressions)(
    'given $where, when labels are grouped by in $expr, then one of its metrics has each',
    ({ expr }) => {
      const labels = new Set(TARGET_LABELS);
      for (const [name, ofName] of namesInPromql())
        if (expr.includes(name)) ofName.forEach((label) => labels.add(label));
      const grouped = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(', '));
      expect(grouped.filter((label) => !labels.has(label))).toEqual([]);
    },
  );
});

describe('the table of alarms', () => {
  it.each(alarms)('given $name, when its runbook $runbook is followed, then page and heading exist', ({ runbook }) => {
    const [page = '', anchor = ''] = runbook.split('#');
    expect(existsSync(path.join(docs, page))).toBe(true);
    expect(anchorsOf(page)).toContain(anchor);
  });

  it('given all alarms, when their names are compared, then each is unique and has our prefix', () => {
    const names = alarms.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names.filter((name) => !/^Settle[A-Z][A-Za-z]+$/.test(name))).toEqual([]);
  });

  it('given each metric that docs/metrics.md names an alarm of, when the rules are searched, then one uses it', () => {
    const rows: readonly MetricRow[] = Object.values(METRICS);
    const unused = rows.filter(
      ({ name, alarm }) => alarm !== undefined && !alarms.some(({ expr }) => expr.includes(name)),
    );
    expect(unused.map(({ name }) => name)).toEqual([]);
  });

  it('given each metric, when the dashboards are searched, then one shows it', () => {
    const unseen = Object.values(METRICS).filter(({ name }) => !queries.some(({ expr }) => expr.includes(name)));
    expect(unseen.map(({ name }) => name)).toEqual([]);
  });
});
