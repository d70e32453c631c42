import { DASHBOARDS } from '../dashboards/dashboards-table.js';
import { ALARMS } from './alarms-table.js';
import type { Alarm } from './alarm.js';

const cell = (text: string): string => text.replaceAll('|', '\\|');
/** `{{ $labels.kind }}` of a rule as it is read on a page. */
const readable = (text: string): string => text.replaceAll(/\{\{ \$labels\.(\w+) \}\}/g, '`$1`');

const INTRODUCTION = `# Monitoring

Made from \`libs/observability/src/alarms\` and \`libs/observability/src/dashboards\` by \`node tools/generate.mjs\`: change the
tables there, not this page and not the files in \`deploy\`.

Every process answers Prometheus on its health port; [metrics](metrics.md) explains each number. Made from the same table
are alarms for Prometheus and dashboards for Grafana, so that no name in them can be wrong.

On one machine \`npm run monitoring\` does all of the following beside a running \`npm run stack\`, if Prometheus (and
Grafana) are installed; \`npm run monitoring -- 127.0.0.1:9000\` reads other health ports. It keeps its data in \`.data/monitoring\`.
In containers the profile \`monitoring\` of \`docker-compose.yml\` does it beside any other profile, for every container of each
service: \`docker compose --profile postgres --profile monitoring up\`. Prometheus is then on http://127.0.0.1:9090
(\`PROMETHEUS_PORT\`) and Grafana on http://127.0.0.1:3001 (\`GRAFANA_PORT\`), for this machine alone.

## Prometheus

1. Let Prometheus read the health port of every process, under the job \`settle\`:

   \`\`\`yaml
   rule_files: [settle.rules.yaml]
   scrape_configs:
     - job_name: settle
       scrape_interval: 15s
       static_configs:
         - targets: ['gateway:9000', 'auth:9000', 'users:9000', 'payments:9000']
   \`\`\`

   The targets are the values of \`HEALTH_HOST\` and \`HEALTH_PORT\`. Keep these ports in a private network. For the instances of
   a running \`npm run stack\`, which differ after each \`scale\`, replace \`static_configs\` by
   \`file_sd_configs: [{ files: [/etc/prometheus/settle-targets.json] }]\` and write the file again after each change, or every
   minute: \`npm run --silent stack -- targets --to /etc/prometheus/settle-targets.json\`. Prometheus reads it whenever it is replaced; the
   label \`process\` has the name of the instance.

2. Copy \`deploy/prometheus/settle.rules.yaml\` beside its configuration. With the Prometheus operator on Kubernetes apply
   \`deploy/kubernetes/prometheus-rule.yaml\` instead, with the labels that its \`ruleSelector\` requires, and set \`jobLabel\` so that the job is
   \`settle\`.
3. Let Alertmanager send alarms with \`severity="page"\` to the operator on duty, and those with \`severity="ticket"\` to the
   list of work. The annotation \`runbook\` names the page and heading that says what to do.

Labels of an alarm, such as the instance, stand as \`instance\` in the tables below.

Some thresholds depend on what you promise and on your settings: SettlePaymentsSlow, SettleGatewayFull,
SettleFundingReviewMany and SettleBalancesFallBelowZero say in their description what to replace.

\`promtool test rules deploy/prometheus/tests/settle.test.yaml\` shows for each alarm an hour of numbers after which it fires, and
another after which it does not. The specs run it.

## Grafana

Import the files of \`deploy/grafana\`, or put them into a folder that Grafana provisions. Each asks for the Prometheus to read:`;

/** Returns the text of `docs/monitoring.md`: how to use alarms and dashboards, and the list of alarms. */
export function monitoringMarkdown(): string {
  const dashboards = DASHBOARDS.map(
    ({ name, title, meaning }) => `| \`deploy/grafana/${name}.json\` | ${title} | ${meaning} |`,
  );
  return [
    INTRODUCTION,
    '',
    '| File | Dashboard | Shows |',
    '| --- | --- | --- |',
    ...dashboards,
    '',
    '## Alarms',
    ...Object.entries(ALARMS).flatMap(([topic, alarms]) => ['', ...tableOf(topic, alarms)]),
    '',
  ].join('\n');
}

function tableOf(topic: string, alarms: readonly Alarm[]): string[] {
  return [
    `### Group settle-${topic}`,
    '',
    '| Alarm | Severity | After | Means | What to do | Runbook |',
    '| --- | --- | --- | --- | --- | --- |',
    ...alarms.map(({ name, severity, forMinutes, summary, description, runbook }) => {
      const after = forMinutes === 0 ? 'at once' : `${forMinutes} min`;
      const [page = '', heading = ''] = runbook.split('#');
      const link = `[${page.replace('.md', '')}: ${heading.replaceAll('-', ' ')}](${runbook})`;
      return `| \`${name}\` | ${severity} | ${after} | ${cell(readable(summary))} | ${cell(description)} | ${link} |`;
    }),
  ];
}
