import { ERROR_CATALOGUE, type CatalogueEntry } from './errors.js';

/** The text of `docs/errors.md`: the catalogue for whoever calls the interface, by HTTP status. */
export function errorCatalogueMarkdown(): string {
  const entries: [string, CatalogueEntry][] = Object.entries(ERROR_CATALOGUE);
  const byStatus = entries.toSorted(([, left], [, right]) => left.status - right.status);
  return [
    '# Errors',
    '',
    'Made from `libs/contracts/src/errors.ts` by `node tools/generate.mjs`: change the catalogue, not this page.',
    '',
    'Every refusal has the body `{"error":{"message":"…","code":"…"}}`. The message says what to do and may change;',
    'the code is stable.',
    '',
    '| HTTP | Code | Meaning |',
    '| --- | --- | --- |',
    ...byStatus.map(([code, { status, meaning }]) => `| ${status} | \`${code}\` | ${meaning.replaceAll('|', '\\|')} |`),
    '',
  ].join('\n');
}
