/** Writes the generated pages of the documentation: `npm run build && node tools/generate.mjs`. */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { generatedPages } from './generated-pages.mjs';
import { brokenReleases } from './released-schemas.mjs';

const root = path.dirname(import.meta.dirname);

const broken = brokenReleases();
if (broken.length > 0) {
  process.stderr.write(`Nothing was written.\n${broken.join('\n')}\n`);
  process.exit(1);
}
for (const page of await generatedPages()) {
  const file = path.join(root, page.path);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, page.text);
  process.stdout.write(`${page.path}\n`);
}
