/**
 * `npm run docs`: the documents as a static site with a search, in `docs/site/dist/site`. `--serve` serves it on
 * http://localhost:4173 until Ctrl-C. The first run installs the generator, which the product does not have, in `docs/site`.
 * With `DOCS_SOURCE_URL`, where readers find the files of the repository, links to source files lead there.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runNpm } from './run-nx.mjs';

const site = join(import.meta.dirname, '..', 'docs/site');
const lockFile = join(site, 'package-lock.json');
const note = join(site, 'node_modules/installed.json');

function run(...args) {
  const { status } = spawnSync(process.execPath, args, { cwd: site, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

if (!existsSync(note) || readFileSync(note, 'utf8') !== readFileSync(lockFile, 'utf8')) {
  process.stdout.write('Installing the generator in docs/site\n');
  try {
    await runNpm(['ci', '--prefix', site, '--ignore-scripts', '--no-audit', '--no-fund']);
  } catch (error) {
    process.stderr.write(`${error.output ?? error.message}\n`);
    process.exit(1);
  }
  writeFileSync(note, readFileSync(lockFile));
}
run('build.mjs');
process.stdout.write(`The site is in ${join(site, 'dist/site')}; npm run docs -- --serve serves it\n`);
if (process.argv.includes('--serve')) run('node_modules/vitepress/bin/vitepress.js', 'preview', '.');
