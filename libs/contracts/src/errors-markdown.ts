import { ERROR_CATALOGUE, type CatalogueEntry, type ErrorCode } from './errors.js';
import { legacyErrorCode } from './legacy-answers.js';

/** The text of `docs/errors.md`: the error catalogue for app developers, by HTTP status. */
export function errorCatalogueMarkdown(): string {
  const entries = Object.entries(ERROR_CATALOGUE) as [ErrorCode, CatalogueEntry][];
  const byStatus = entries.toSorted(([, left], [, right]) => left.status - right.status);
  return [
    '# Errors',
    '',
    'Made from `libs/contracts/src/errors.ts` by `node tools/generate.mjs`: change the catalogue, not this page.',
    '',
    'Every refusal has the body `{"error":{"message":"…","code":"…"}}`. The message says what to do and may change;',
    'the code is stable. The last column is the code that an app gets which has switched *legacy answers* on: a string of',
    'digits, as the former interface had them.',
    '',
    '| HTTP | Code | Meaning | Legacy code |',
    '| --- | --- | --- | --- |',
    ...byStatus.map(
      ([code, { status, meaning }]) =>
        `| ${status} | \`${code}\` | ${meaning.replaceAll('|', '\\|')} | ${legacyErrorCode(code)} |`,
    ),
    '',
  ].join('\n');
}
