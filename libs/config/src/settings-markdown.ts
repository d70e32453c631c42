import { DOCUMENTED_SETTINGS } from './settings-table.js';

const cell = (text: string): string => text.replaceAll('|', '\\|');

/** Returns the text of `docs/settings.md`: the table of settings for operators. */
export function settingsTableMarkdown(): string {
  const rows = DOCUMENTED_SETTINGS.map((row) => {
    const fallback = row.default === undefined ? (row.otherwise ?? 'none') : `\`${row.default}\``;
    return `| \`${row.name}\` | ${cell(fallback)} | ${cell(row.meaning)} | ${cell(row.parse.expects)} | ${row.readBy ?? 'all'} |`;
  });
  return [
    '# Settings',
    '',
    'Made from `libs/config/src/settings-table.ts` and the `*-settings.ts` that it includes, by `node tools/generate.mjs`:',
    'change these tables, not this page.',
    '',
    'Each is an environment variable, read once at start. A value that cannot be used stops the start with one line',
    'that says what to write; nothing is guessed. An empty value counts as not set. "The four services" are api-gateway,',
    'auth-service, users-service and payments-service in processes of their own; all-in-one (`npm start`) runs them',
    'as one, stack (`npm run stack`) starts them side by side and passes their settings to them.',
    '',
    '| Name | Default | Meaning | Value | Read by |',
    '| --- | --- | --- | --- | --- |',
    ...rows,
    '',
  ].join('\n');
}
