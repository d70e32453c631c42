/**
 * Remembers what the last build was made of and made, so that a start does not ask Nx for half of its time whether there is
 * anything to build.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Folders with the projects, and files beside them, that the build reads (`nx.json`). */
const FOLDERS = ['apps', 'libs', 'sdks'];
const FILES = ['nx.json', 'tsconfig.base.json', 'package-lock.json'];
const READ = /^[^/]+\/[^/]+\/(?:src\/.*(?<!\.spec\.ts)|package\.json|tsconfig\.lib\.json)$/;
const MADE = /^[^/]+\/[^/]+\/dist\//;

const noteIn = (root) => join(root, '.nx', 'built');

/** Returns the digests of the names, sizes and times of all files that a build reads, and of all that it makes. */
function digestsOf(root) {
  const digests = { read: createHash('sha256').update(process.version), made: createHash('sha256') };
  const add = (path, digest) => {
    const { size, mtimeMs } = statSync(join(root, path));
    digest.update(`${path} ${size} ${mtimeMs}\n`);
  };
  const walk = (folder) => {
    const entries = readdirSync(join(root, folder), { withFileTypes: true });
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = `${folder}/${entry.name}`;
      if (!entry.isDirectory()) {
        if (READ.test(path)) add(path, digests.read);
        else if (MADE.test(path)) add(path, digests.made);
      } else if (entry.name !== 'node_modules') walk(path);
    }
  };
  FOLDERS.forEach(walk);
  for (const file of FILES) add(file, digests.read);
  return { read: digests.read.digest('hex'), made: digests.made.digest('hex') };
}

const noteOf = ({ read, made }) => `${read} ${made}\n`;

/** Whether nothing has changed since the last build that was noted, neither what it has read nor what it has made. */
export function isBuilt(root) {
  try {
    return readFileSync(noteIn(root), 'utf8') === noteOf(digestsOf(root));
  } catch {
    return false;
  }
}

/**
 * Builds and notes it. A file that changes meanwhile counts as not built. Where the note cannot be written, the next start
 * builds. Errors: those of `build`.
 */
export async function buildAndNote(root, build) {
  const { read } = digestsOf(root);
  await build();
  try {
    mkdirSync(dirname(noteIn(root)), { recursive: true });
    writeFileSync(noteIn(root), noteOf({ read, made: digestsOf(root).made }));
  } catch {
    // Nothing is noted.
  }
}
