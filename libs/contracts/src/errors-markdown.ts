import { ERROR_CATALOGUE, type CatalogueEntry, type ErrorCode } from './errors.js';
import { legacyErrorCode } from './legacy-answers.js';

/** The table of `docs/errors.md`, for app developers, by HTTP status: the rows by the head. */
export function errorCatalogueTables(): Readonly<Record<string, readonly string[]>> {
  const entries = Object.entries(ERROR_CATALOGUE) as [ErrorCode, CatalogueEntry][];
  const byStatus = entries.toSorted(([, left], [, right]) => left.status - right.status);
  return {
    '| HTTP | Code | Meaning | Legacy code |': byStatus.map(
      ([code, { status, meaning }]) =>
        `| ${status} | \`${code}\` | ${meaning.replaceAll('|', '\\|')} | ${legacyErrorCode(code)} |`,
    ),
  };
}
