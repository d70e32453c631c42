/**
 * Builds the version before this one, which docs/releases.md names, in a folder of its own, so that specs run its services
 * beside those of this checkout.
 */
import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const root = join(import.meta.dirname, '..', '..');
const run = promisify(execFile);
const INSTALL_TIMEOUT_MS = 240_000;
const BUILD_TIMEOUT_MS = 120_000;
const PACKAGES = 'node_modules';

/** Returns the id of the commit of the version before this one. Throws one line if the clone does not have it. */
export function earlierCommit(clone = root) {
  const page = readFileSync(join(clone, 'docs', 'releases.md'), 'utf8');
  const [, name] = /^The version before this one is `([\w.]+)`/m.exec(page) ?? [];
  if (name === undefined) throw new Error('docs/releases.md does not name the version before this one');
  const options = { cwd: clone, encoding: 'utf8', stdio: 'pipe' };
  try {
    return execFileSync('git', ['rev-parse', '--verify', `${name}^{commit}`], options).trim();
  } catch (cause) {
    const why = String(cause.stderr ?? cause.message).trim();
    throw new Error(
      `The rolling upgrade starts from ${name}, which is not in this clone (${why}): run git fetch --unshallow --tags`,
      { cause },
    );
  }
}

/**
 * Builds services of the version before this one in an empty folder, with the packages of this checkout where they are
 * those of its lockfile, else with its own ones from npm. Takes seconds, so nothing is kept for the next time.
 * @param apps such as `auth-service`
 */
export async function buildEarlierVersion(folder, apps) {
  const commit = earlierCommit();
  const archive = join(folder, 'sources.tar');
  await run('git', ['archive', '--output', archive, commit], { cwd: root });
  await run('tar', ['-xf', archive, '-C', folder]);
  if (differingPackages(lockIn(folder), lockIn(root)).length === 0) linkPackages(folder);
  else
    await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
      cwd: folder,
      timeout: INSTALL_TIMEOUT_MS,
    });
  const compiler = join(root, PACKAGES, 'typescript7', 'bin', 'tsc');
  const projects = apps.map((app) => join('apps', app, 'tsconfig.lib.json'));
  const options = { cwd: folder, timeout: BUILD_TIMEOUT_MS };
  await run(process.execPath, [compiler, '-b', ...projects], options).catch(({ message, stdout }) => {
    throw new Error(`${commit} was not built: ${message}\n${stdout ?? ''}`);
  });
}

const lockIn = (folder) => JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'));

/** Returns the places of packages that run in production and are absent from another lockfile or have another version there. */
export const differingPackages = ({ packages }, other) =>
  Object.entries(packages).flatMap(([place, { dev, link, optional, version }]) => {
    const isNeeded = place.includes(`${PACKAGES}/`) && !dev && !link && !optional;
    return isNeeded && other.packages[place]?.version !== version ? [place] : [];
  });

/** Links the packages of this checkout into the folder, and the folder's own ones to each other. */
function linkPackages(folder) {
  for (const place of ownPackages(folder)) {
    const { name } = JSON.parse(readFileSync(join(folder, place, 'package.json'), 'utf8'));
    link(join(folder, place), join(folder, PACKAGES, name));
    linkAll(join(root, place, PACKAGES), join(folder, place, PACKAGES));
  }
  linkAll(join(root, PACKAGES), join(folder, PACKAGES));
}

const ownPackages = (folder) =>
  ['apps', 'libs', 'sdks']
    .filter((group) => existsSync(join(folder, group)))
    .flatMap((group) => readdirSync(join(folder, group)).map((name) => join(group, name)))
    .filter((place) => existsSync(join(folder, place, 'package.json')));

/** Links what is there and is not in the folder yet. */
function linkAll(from, to) {
  if (!existsSync(from)) return;
  for (const name of readdirSync(from)) if (!existsSync(join(to, name))) link(join(from, name), join(to, name));
}

function link(target, path) {
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(target, path);
}
