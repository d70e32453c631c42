import { SETTINGS_TABLE } from './settings-table.js';

const cell = (text: string): string => text.replaceAll('|', '\\|');

/** The text of `docs/settings.md`: the table of settings for whoever runs the product. */
export function settingsTableMarkdown(): string {
  const rows = Object.values(SETTINGS_TABLE).map((row) => {
    const fallback = row.default === null ? (row.otherwise ?? 'none') : `\`${row.default}\``;
    return `| \`${row.name}\` | ${cell(fallback)} | ${cell(row.meaning)} | ${cell(row.expects)} |`;
  });
  return [
    '# Settings',
    '',
    'Made from `libs/config/src/settings-table.ts` by `node tools/generate.mjs`: change the table, not this page.',
    '',
    'Each is an environment variable, read once at start. A value that cannot be used stops the start with one line',
    'that says what to write; nothing is guessed. An empty value counts as not set.',
    '',
    '| Name | Default | Meaning | Value |',
    '| --- | --- | --- | --- |',
    ...rows,
    '',
  ].join('\n');
}
