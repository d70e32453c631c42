import { readFileSync } from 'node:fs';
import path from 'node:path';

/** The version of the product, the commit if it is known, and the version of Node. Fixed for the life of a process. */
export interface BuildInfo {
  readonly version: string;
  readonly commit: string;
  readonly node: string;
}

/** The folder of the product. Sources and built files lie equally deep in it. */
const PRODUCT = path.join(import.meta.dirname, '../../..');
const COMMIT = /^[0-9a-f]{40}$/;

/**
 * Returns what runs. `version` and `commit` are `unknown` if the folder does not tell them.
 * @param folder that of `package.json`, and of `.git` if there is one
 */
export function readBuildInfo(folder = PRODUCT): BuildInfo {
  return { version: versionOf(folder), commit: commitOf(folder), node: process.versions.node };
}

function versionOf(folder: string): string {
  try {
    const { version } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as { version?: unknown };
    return typeof version === 'string' ? version.slice(0, 40) : 'unknown';
  } catch {
    return 'unknown';
  }
}

/** An image contains the file COMMIT if it was built with that argument; a checkout contains the folder `.git`. */
function commitOf(folder: string): string {
  const head = textOf(folder, 'COMMIT') ?? textOf(folder, '.git/HEAD');
  if (head === null) return 'unknown';
  const [, branch] = /^ref: (refs\/[\w./-]+)$/.exec(head) ?? [];
  const commit = branch === undefined ? head : (textOf(folder, `.git/${branch}`) ?? packedRef(folder, branch));
  return commit !== null && COMMIT.test(commit) ? commit : 'unknown';
}

/** After `git gc`, and in a fresh clone, branches are lines `<commit> <branch>` of one file. */
function packedRef(folder: string, branch: string): string | null {
  const line = textOf(folder, '.git/packed-refs')
    ?.split('\n')
    .find((each) => each.endsWith(` ${branch}`));
  return line?.slice(0, -branch.length - 1) ?? null;
}

function textOf(folder: string, file: string): string | null {
  try {
    return readFileSync(path.join(folder, file), 'utf8').trim();
  } catch {
    return null;
  }
}
