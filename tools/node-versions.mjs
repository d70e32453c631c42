import { readFileSync } from 'node:fs';
import path from 'node:path';
import semver from 'semver';

const root = path.dirname(import.meta.dirname);
const readJson = (file) => JSON.parse(readFileSync(path.join(root, file), 'utf8'));

/** The oldest version of Node of each range that package.json supports, such as 20.19.0. */
export const OLDEST_NODES = readJson('package.json')
  .engines.node.split('||')
  .map((range) => semver.minVersion(range).version);

/** The packages of the lockfile that do not accept this version of Node. */
export function packagesRefusing(version) {
  return Object.entries(readJson('package-lock.json').packages)
    .filter(([, { optional, engines }]) => optional !== true && !semver.satisfies(version, engines?.node ?? '*'))
    .map(([name]) => name);
}
