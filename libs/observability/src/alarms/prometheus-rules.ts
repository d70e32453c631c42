import { ALARMS } from './alarms-table.js';
import type { Alarm } from './alarm.js';

/** A whole number of minutes, so that every `for` of the table ends within the hour of the samples. */
const EVALUATED_AT = '60m';

/** The content of a rule file of Prometheus. */
export interface RuleFile {
  readonly groups: readonly RuleGroup[];
}

interface RuleGroup {
  readonly name: string;
  readonly rules: readonly object[];
}

/** One of the two lines of samples of an alarm. */
interface Case {
  readonly alarm: Alarm;
  readonly samples: 'fires' | 'quiet';
  /** Names of all metrics on which the outcome depends. */
  readonly metrics: ReadonlySet<string>;
}

/** Returns the rules of all alarms. */
export function prometheusRules(): RuleFile {
  return {
    groups: Object.entries(ALARMS).map(([topic, alarms]) => ({ name: `settle-${topic}`, rules: alarms.map(ruleOf) })),
  };
}

/** Returns the same rules as the custom resource of the Prometheus operator for Kubernetes. */
export function prometheusRuleResource(): object {
  return {
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'PrometheusRule',
    metadata: { name: 'settle', labels: { 'app.kubernetes.io/part-of': 'settle' } },
    spec: prometheusRules(),
  };
}

/**
 * Returns the tests of all rules for `promtool test rules`: each alarm fires after the samples of `fires`, and does not
 * after those of `quiet`. Cases that have no metric in common share a test, because each test evaluates all rules.
 * @param ruleFile where the rules are, as seen from the test file
 */
export function prometheusRuleTests(ruleFile: string): object {
  const cases = Object.values(ALARMS)
    .flat()
    .flatMap((alarm) => [caseOf(alarm, 'fires'), caseOf(alarm, 'quiet')]);
  const tests: Case[][] = [];
  for (const each of cases) {
    const test = tests.find((others) => others.every((other) => !shareMetric(other, each)));
    if (test === undefined) tests.push([each]);
    else test.push(each);
  }
  return { rule_files: [ruleFile], evaluation_interval: '1m', tests: tests.map(testOf) };
}

function ruleOf({ name, expr, forMinutes, severity, summary, description, runbook }: Alarm): object {
  return {
    alert: name,
    expr,
    ...(forMinutes > 0 && { for: `${forMinutes}m` }),
    labels: { severity },
    annotations: { summary, description, runbook: `docs/${runbook}` },
  };
}

function caseOf(alarm: Alarm, samples: 'fires' | 'quiet'): Case {
  const texts = [alarm.expr, ...Object.keys(alarm.fires), ...Object.keys(alarm.quiet)];
  const names = texts.flatMap((text) => text.match(/\b(?:settle|nodejs)_\w+|\bup\b/g) ?? []);
  return { alarm, samples, metrics: new Set(names) };
}

const shareMetric = (one: Case, other: Case): boolean => [...one.metrics].some((name) => other.metrics.has(name));

function testOf(cases: readonly Case[]): object {
  return {
    interval: '1m',
    input_series: cases.flatMap(({ alarm, samples }) =>
      Object.entries(alarm[samples]).map(([series, values]) => ({ series, values })),
    ),
    promql_expr_test: cases.map(({ alarm, samples }) => ({
      expr: `count(ALERTS{alertname="${alarm.name}",alertstate="firing"})`,
      eval_time: EVALUATED_AT,
      exp_samples: samples === 'fires' ? [{ labels: '{}', value: 1 }] : [],
    })),
  };
}
