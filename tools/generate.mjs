/** Writes the generated pages of the documentation: `npm run build && node tools/generate.mjs`. */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { generatedPages } from './generated-pages.mjs';

const root = path.dirname(import.meta.dirname);

for (const page of generatedPages()) {
  const file = path.join(root, page.path);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, page.text);
  process.stdout.write(`${page.path}\n`);
}
