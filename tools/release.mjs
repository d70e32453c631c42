/**
 * `npm run release -- 0.2.0`: sets the version everywhere, dates the changelog, writes the SBOM and the build of the image,
 * commits and makes an annotated tag. It pushes nothing. `--dry-run` prints what it would do. `docs/releases.md`.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import semver from 'semver';
import { changelogWithVersion, chartWithVersion, imageBuild, releasesAfter, withVersion } from './release-files.mjs';

const root = join(import.meta.dirname, '..');
/** They name the version of the packages that a new service uses. */
const NEW_SERVICE = ['tools/new-service/edits.mjs', 'tools/new-service/files/package.json.template'];
const RELEASES = 'docs/releases.md';
const CHART = 'deploy/helm/settle/Chart.yaml';
const PYTHON_CLIENT = 'sdks/python/pyproject.toml';
const [IMAGE, SBOM] = ['release/image.json', 'release/sbom.cdx.json'];

const run = (program, ...parameters) =>
  execFileSync(program, parameters, { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
const read = (file) => readFileSync(join(root, file), 'utf8');
const parts = process.argv.slice(2);
const isDryRun = parts.includes('--dry-run');

/** Returns the wanted version. Throws if it cannot be released from here. */
function readVersion() {
  const [version, ...more] = parts.filter((part) => part !== '--dry-run');
  if (version === undefined || more.length > 0 || semver.valid(version) !== version)
    throw new Error('write `npm run release -- 0.2.0`, with `--dry-run` to see what it would do');
  const current = JSON.parse(read('package.json')).version;
  if (!semver.gt(version, current)) throw new Error(`${version} is not above the current version ${current}`);
  if (run('git', 'status', '--porcelain') !== '') throw new Error('the working tree has changes: commit them first');
  if (run('git', 'tag', '--list', `v${version}`) !== '') throw new Error(`the tag v${version} exists`);
  return version;
}

/** Returns the new text of each file that changes, by its path. */
function changedFiles(version) {
  const packages = run(
    'git',
    'ls-files',
    'package.json',
    'package-lock.json',
    'apps/*/package.json',
    'libs/*/package.json',
    'sdks/*/package.json',
  );
  const current = JSON.parse(read('package.json')).version;
  const date = new Date().toISOString().slice(0, 10);
  return new Map([
    ...packages
      .trim()
      .split('\n')
      .map((file) => [file, withVersion(read(file), version)]),
    ['CHANGELOG.md', changelogWithVersion(read('CHANGELOG.md'), version, date)],
    [RELEASES, releasesAfter(read(RELEASES), version)],
    [CHART, chartWithVersion(read(CHART), version)],
    [PYTHON_CLIENT, read(PYTHON_CLIENT).replace(`version = "${current}"`, `version = "${version}"`)],
    ...NEW_SERVICE.map((file) => [file, read(file).replaceAll(current, version)]),
    [IMAGE, imageBuild(version)],
  ]);
}

/** Returns the parts that run in production, as CycloneDX. Call it when the versions are written. */
function readSbom() {
  const sbom = JSON.parse(run('npm', 'sbom', '--package-lock-only', '--omit', 'dev', '--sbom-format', 'cyclonedx'));
  // npm names it after the folder.
  sbom.metadata.component.name = 'settle';
  return `${JSON.stringify(sbom, null, 2)}\n`;
}

function release() {
  const version = readVersion();
  const files = changedFiles(version);
  if (isDryRun) {
    for (const file of [...files.keys(), SBOM]) process.stdout.write(`would write ${file}\n`);
    process.stdout.write(`would commit "chore(workspace): release ${version}" and tag it v${version}\n`);
    return;
  }
  mkdirSync(join(root, 'release'), { recursive: true });
  for (const [file, text] of files) writeFileSync(join(root, file), text);
  writeFileSync(join(root, SBOM), readSbom());
  run(process.execPath, 'node_modules/prettier/bin/prettier.cjs', '--write', '--ignore-unknown', ...files.keys());
  run('git', 'add', '--', ...files.keys(), SBOM);
  run('git', 'commit', '--quiet', '--message', `chore(workspace): release ${version}`);
  run('git', 'tag', '--annotate', `v${version}`, '--message', `Settle ${version}`);
  process.stdout.write(`Released v${version} here. To publish: git push --follow-tags\n`);
}

try {
  release();
} catch (error) {
  process.stderr.write(`release: ${error.message}\n`);
  process.exitCode = 1;
}
