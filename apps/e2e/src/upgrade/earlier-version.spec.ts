import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { differingPackages, earlierCommit } from '../../earlier-version.mjs';

describe('the version before this one', () => {
  let clone: string;
  beforeEach(() => {
    clone = mkdtempSync(join(tmpdir(), 'settle-clone-'));
    mkdirSync(join(clone, 'docs'));
    execFileSync('git', ['init', '--quiet'], { cwd: clone });
  });
  afterEach(() => rmSync(clone, { recursive: true }));
  const writePage = (text: string) => writeFileSync(join(clone, 'docs', 'releases.md'), text);

  it('given a clone without its commit, when it is looked for, then one line says what is missing and what to run', () => {
    writePage('# Releases\n\nThe version before this one is `v0.1.0`.\n');
    expect(() => earlierCommit(clone)).toThrow(/^The rolling upgrade starts from v0\.1\.0, .*git fetch --unshallow/);
  });

  it('given a page that names none, when it is looked for, then it is an error', () => {
    writePage('# Releases\n');
    expect(() => earlierCommit(clone)).toThrow('docs/releases.md does not name the version before this one');
  });
});

describe('differingPackages', () => {
  const lock = (packages: Readonly<Record<string, object>>) => ({ packages });
  const earlier = lock({
    '': { version: '0.1.0' },
    'apps/a': { version: '0.1.0' },
    'node_modules/@settle/a': { link: true },
    'node_modules/same': { version: '1.0.0' },
    'node_modules/newer': { version: '1.0.0' },
    'apps/a/node_modules/gone': { version: '1.0.0' },
    'node_modules/a-tool': { version: '1.0.0', dev: true },
    'node_modules/of-one-system': { version: '1.0.0', optional: true },
  });

  it('given a later lockfile, when they are compared, then those of production that differ or are gone are named', () => {
    const later = lock({ 'node_modules/same': { version: '1.0.0' }, 'node_modules/newer': { version: '2.0.0' } });
    expect(differingPackages(earlier, later)).toEqual(['node_modules/newer', 'apps/a/node_modules/gone']);
    expect(differingPackages(earlier, earlier)).toEqual([]);
  });
});
