/**
 * Remembers what the last build was made of and made, so that a start does not ask Nx for half of its time whether there is
 * anything to build.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Folders with the projects, and files beside them, that the build reads (`nx.json`). `dist` is what it makes. */
const FOLDERS = ['apps', 'libs'];
const FILES = ['nx.json', 'tsconfig.base.json', 'package-lock.json'];
const IN_PROJECT = /^[^/]+\/[^/]+\/(?:(?:src|dist)\/.*|package\.json|tsconfig\.lib\.json)$/;
const SPEC = /\.spec\.ts$/;

const noteIn = (root) => join(root, '.nx', 'built');

/** Returns a digest of the names, sizes and times of all files that a build reads and makes. */
function digestOf(root) {
  const digest = createHash('sha256').update(process.version);
  const add = (path) => {
    const { size, mtimeMs } = statSync(join(root, path));
    digest.update(`${path} ${size} ${mtimeMs}\n`);
  };
  const walk = (folder) => {
    const entries = readdirSync(join(root, folder), { withFileTypes: true });
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) {
        if (entry.name !== 'node_modules') walk(path);
      } else if (IN_PROJECT.test(path) && !SPEC.test(path)) add(path);
    }
  };
  FOLDERS.forEach(walk);
  FILES.forEach(add);
  return digest.digest('hex');
}

/** Whether nothing has changed since `noteBuild`, neither what the build reads nor what it makes. */
export function isBuilt(root) {
  try {
    return readFileSync(noteIn(root), 'utf8') === digestOf(root);
  } catch {
    return false;
  }
}

/** Notes a build that has just succeeded. A folder that cannot be written costs the next start the time of a build. */
export function noteBuild(root) {
  try {
    mkdirSync(dirname(noteIn(root)), { recursive: true });
    writeFileSync(noteIn(root), digestOf(root));
  } catch {
    // Nothing is noted.
  }
}
