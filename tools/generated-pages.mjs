import { settingsTableMarkdown } from '@settle/config';
import { errorCatalogueMarkdown, kafkaTopicsMarkdown } from '@settle/contracts';

/** Pages of the documentation that are printed from code: where each lies, and what it must say. */
export const generatedPages = () => [
  { path: 'docs/settings.md', text: settingsTableMarkdown() },
  { path: 'docs/errors.md', text: errorCatalogueMarkdown() },
  { path: 'docs/topics.md', text: kafkaTopicsMarkdown() },
];
