import { readFileSync } from 'node:fs';
import path from 'node:path';
import { openApiDocument } from '@settle/api-gateway';
import { readSettings, settingsTableMarkdown } from '@settle/config';
import {
  avroSchemas,
  dataContracts,
  errorCatalogueTables,
  kafkaAclScripts,
  kafkaTopicsTables,
  publicEventPages,
  publicEventSchemas,
  publicEventTables,
  publicEventsAsyncApi,
  topicPages,
  topicSchemas,
} from '@settle/contracts';
import {
  DASHBOARDS,
  grafanaJson,
  metricsMarkdown,
  monitoringMarkdown,
  prometheusRuleResource,
  prometheusRules,
  prometheusRuleTests,
  securityLogMarkdown,
} from '@settle/observability';
import { providerOpenApi } from '@settle/provider-api';
import { stringify } from 'yaml';
import { CLIENT_TYPES, clientTypes } from './client-types.mjs';
import { conformancePage } from './conformance-page.mjs';
import { POSTMAN_COLLECTION, postmanCollection } from './postman-collection.mjs';

/** Where the released schemas of the public events lie: `<name>.json`. */
export const SCHEMAS = 'libs/contracts/schemas';

/** Returns a page whose prose is written by hand, with the rows of its tables printed from code. @param tables rows by head */
function withTables(file, tables) {
  const lines = readFileSync(path.join(path.dirname(import.meta.dirname), file), 'utf8').split('\n');
  for (const [head, rows] of Object.entries(tables)) {
    const first = lines.indexOf(head) + 2;
    if (first === 1) throw new Error(`${file} has no table "${head}".`);
    const end = lines.findIndex((line, index) => index >= first && !line.startsWith('|'));
    lines.splice(first, end - first, ...rows);
  }
  return { path: file, text: lines.join('\n') };
}

const yamlFile = (file, content) => ({
  path: file,
  text: `# Made from libs/observability/src/alarms by node tools/generate.mjs.\n${stringify(content, { lineWidth: 0, aliasDuplicateObjects: false })}`,
});

/** Alarms and dashboards for operators. `docs/monitoring.md` says how to use them. */
const monitoringFiles = () => [
  { path: 'docs/monitoring.md', text: monitoringMarkdown() },
  yamlFile('deploy/prometheus/settle.rules.yaml', prometheusRules()),
  yamlFile('deploy/prometheus/tests/settle.test.yaml', prometheusRuleTests('../settle.rules.yaml')),
  yamlFile('deploy/kubernetes/prometheus-rule.yaml', prometheusRuleResource()),
  // A chart reads no files beside its own folder.
  yamlFile('deploy/helm/settle/files/prometheus-rule.yaml', prometheusRuleResource()),
  ...DASHBOARDS.map((dashboard) => ({
    path: `deploy/grafana/${dashboard.name}.json`,
    text: `${JSON.stringify(grafanaJson(dashboard), null, 2)}\n`,
  })),
];

const json = (content) => `${JSON.stringify(content, null, 2)}\n`;

/** The contract of each public topic, for analysts and machines. */
const contractFiles = () => [
  ...topicPages().map(({ name, text }) => ({ path: `docs/events/${name}`, text })),
  ...[...topicSchemas()].map(([name, schema]) => ({ path: `docs/events/${name}.schema.json`, text: json(schema) })),
  ...[...avroSchemas()].map(([name, schema]) => ({ path: `docs/events/${name}.avsc`, text: json(schema) })),
  ...[...dataContracts()].map(([name, contract]) => ({
    path: `docs/events/${name}.odcs.yaml`,
    text: `# Made from libs/contracts/src/public-events by node tools/generate.mjs.\n${stringify(contract, { lineWidth: 120, aliasDuplicateObjects: false })}`,
  })),
];

/** Returns the files that are generated from code: where each lies, and what it must say. */
export const generatedPages = async () => {
  const openApi = openApiDocument(readSettings({}));
  return [
    { path: 'docs/settings.md', text: settingsTableMarkdown() },
    { path: 'docs/metrics.md', text: metricsMarkdown() },
    ...monitoringFiles(),
    { path: 'docs/security-log.md', text: securityLogMarkdown() },
    withTables('docs/errors.md', errorCatalogueTables()),
    { path: 'docs/conformance.md', text: conformancePage() },
    withTables('docs/topics.md', kafkaTopicsTables()),
    ...kafkaAclScripts().map(({ principal, text }) => ({ path: `deploy/kafka/${principal}.sh`, text })),
    withTables('docs/events/README.md', publicEventTables()),
    { path: 'docs/openapi.json', text: `${JSON.stringify(openApi, null, 2)}\n` },
    {
      path: POSTMAN_COLLECTION,
      text: `${JSON.stringify(postmanCollection(openApi), null, 2)}\n`,
    },
    { path: CLIENT_TYPES, text: await clientTypes(openApi) },
    { path: 'docs/provider-openapi.json', text: `${JSON.stringify(providerOpenApi(), null, 2)}\n` },
    ...contractFiles(),
    ...publicEventPages().map(({ name, text }) => ({ path: `docs/events/${name}`, text })),
    {
      path: 'docs/events/asyncapi.yaml',
      text: `# Made from libs/contracts/src/public-events by node tools/generate.mjs.\n${stringify(publicEventsAsyncApi(), { lineWidth: 120, aliasDuplicateObjects: false })}`,
    },
    ...[...publicEventSchemas()].map(([name, schema]) => ({
      path: `${SCHEMAS}/${name}.json`,
      text: `${JSON.stringify(schema, null, 2)}\n`,
    })),
  ];
};
