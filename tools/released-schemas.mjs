import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { breakingChange, publicEventSchemas, schemaBreaks } from '@settle/contracts';
import { SCHEMAS } from './generated-pages.mjs';

const folder = path.join(path.dirname(import.meta.dirname), SCHEMAS);

/** Returns a line for each committed schema that the code would break, with the alternative. */
export function brokenReleases() {
  const current = publicEventSchemas();
  const released = existsSync(folder) ? readdirSync(folder).map((file) => path.basename(file, '.json')) : [];
  return released.flatMap((name) => {
    const schema = JSON.parse(readFileSync(path.join(folder, `${name}.json`), 'utf8'));
    const breaks = schemaBreaks(schema, current.get(name) ?? null);
    return breaks.length === 0 ? [] : [breakingChange(name, breaks)];
  });
}
