/** Writes the generated files of documentation and client libraries: `npm run build && node tools/generate.mjs`. */
import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { generatedPages } from './generated-pages.mjs';
import { pythonPath } from './python-environment.mjs';
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
const python = pythonPath();
if (python === null)
  process.stdout.write('Without sdks/python: its generator is installed by npm test, where Python is.\n');
else execFileSync(python, [path.join(root, 'sdks/python/generate_models.py')], { stdio: 'inherit' });
