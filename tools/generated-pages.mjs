import { openApiDocument } from '@settle/api-gateway';
import { readSettings, settingsTableMarkdown } from '@settle/config';
import {
  errorCatalogueMarkdown,
  kafkaTopicsMarkdown,
  publicEventPages,
  publicEventSchemas,
  publicEventsAsyncApi,
} from '@settle/contracts';
import { metricsMarkdown, securityLogMarkdown } from '@settle/observability';
import { stringify } from 'yaml';
import { conformancePage } from './conformance-page.mjs';

/** Where the released schemas of the public events lie: `<name>.json`. */
export const SCHEMAS = 'libs/contracts/schemas';

/** Pages of the documentation that are printed from code: where each lies, and what it must say. */
export const generatedPages = () => [
  { path: 'docs/settings.md', text: settingsTableMarkdown() },
  { path: 'docs/metrics.md', text: metricsMarkdown() },
  { path: 'docs/security-log.md', text: securityLogMarkdown() },
  { path: 'docs/errors.md', text: errorCatalogueMarkdown() },
  { path: 'docs/conformance.md', text: conformancePage() },
  { path: 'docs/topics.md', text: kafkaTopicsMarkdown() },
  { path: 'docs/openapi.json', text: `${JSON.stringify(openApiDocument(readSettings({})), null, 2)}\n` },
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
