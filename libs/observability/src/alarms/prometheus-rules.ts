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
 * after those of `quiet`.
 * @param ruleFile where the rules are, as seen from the test file
 */
export function prometheusRuleTests(ruleFile: string): object {
  return {
    rule_files: [ruleFile],
    evaluation_interval: '1m',
    tests: Object.values(ALARMS)
      .flat()
      .flatMap((alarm) => [testOf(alarm, 'fires'), testOf(alarm, 'quiet')]),
  };
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

function testOf(alarm: Alarm, samples: 'fires' | 'quiet'): object {
  return {
    name: `${alarm.name} ${samples === 'fires' ? 'fires' : 'stays quiet'}`,
    interval: '1m',
    input_series: Object.entries(alarm[samples]).map(([series, values]) => ({ series, values })),
    promql_expr_test: [
      {
        expr: `count(ALERTS{alertname="${alarm.name}",alertstate="firing"})`,
        eval_time: EVALUATED_AT,
        exp_samples: samples === 'fires' ? [{ labels: '{}', value: 1 }] : [],
      },
    ],
  };
}
