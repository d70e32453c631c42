import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const root = path.dirname(import.meta.dirname);
/** Above every version that this repository will have. */
const NEXT = '1000.0.0';

let clone: string;
const run = (program: string, ...parameters: readonly string[]) =>
  spawnSync(program, parameters, {
    cwd: clone,
    encoding: 'utf8',
    timeout: 60_000,
    env: {
      ...process.env,
      // Its warnings are about the settings of this machine.
      npm_config_loglevel: 'error',
      GIT_AUTHOR_NAME: 'Spec',
      GIT_AUTHOR_EMAIL: 'spec@example.com',
      GIT_COMMITTER_NAME: 'Spec',
      GIT_COMMITTER_EMAIL: 'spec@example.com',
    },
  });
const release = (...parameters: readonly string[]) => run(process.execPath, 'tools/release.mjs', ...parameters);
const read = (file: string): string => readFileSync(path.join(clone, file), 'utf8');

beforeEach(() => {
  clone = mkdtempSync(path.join(tmpdir(), 'settle-release-'));
  // The files as they are now, committed or not.
  const files = spawnSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
    cwd: root,
  }).stdout;
  spawnSync('tar', ['--create', '--file', path.join(clone, 'all.tar'), '--null', '--files-from', '-'], {
    cwd: root,
    input: files,
  });
  run('tar', '--extract', '--file', 'all.tar');
  rmSync(path.join(clone, 'all.tar'));
  symlinkSync(path.join(root, 'node_modules'), path.join(clone, 'node_modules'));
  run('git', 'init', '--quiet');
  writeFileSync(path.join(clone, '.git/info/exclude'), 'node_modules\n');
  const changelog = read('CHANGELOG.md').replace('## Unreleased\n', '## Unreleased\n\n### Added\n\n- Something new.\n');
  writeFileSync(path.join(clone, 'CHANGELOG.md'), changelog);
  run('git', 'add', '--all');
  run('git', 'commit', '--quiet', '--message', 'before');
});
afterEach(() => rmSync(clone, { recursive: true }));

describe('npm run release', () => {
  it('given a clean tree, when a version is released, then it is everywhere, and a commit with its tag has all of it', () => {
    expect(release(NEXT)).toMatchObject({ status: 0, stderr: '' });
    expect(run('git', 'cat-file', '-t', `v${NEXT}`).stdout).toBe('tag\n');
    expect(run('git', 'status', '--porcelain').stdout).toBe('');
    expect(read('CHANGELOG.md')).toMatch(
      /^## Unreleased\n\n## 1000\.0\.0 \(\d{4}-\d\d-\d\d\)\n\n### Added\n\n- Something new/m,
    );
    expect(read('deploy/helm/settle/Chart.yaml')).toContain(`appVersion: ${NEXT}\n`);
    expect(JSON.parse(read('apps/all-in-one/package.json'))).toMatchObject({
      version: NEXT,
      dependencies: { '@settle/config': NEXT },
    });
    expect(JSON.parse(read('package-lock.json'))).toMatchObject({
      version: NEXT,
      packages: { '': { version: NEXT }, 'libs/config': { version: NEXT } },
    });
    expect(JSON.parse(read('release/sbom.cdx.json'))).toMatchObject({
      bomFormat: 'CycloneDX',
      metadata: { component: { name: 'settle', version: NEXT } },
    });
    expect(read('sdks/python/pyproject.toml')).toContain(`version = "${NEXT}"`);
    expect(read('tools/new-service/edits.mjs')).toContain(`'${NEXT}'`);
    // Nothing but versions changed: the files keep their form.
    expect(run('git', 'show', '--numstat', '--format=', 'HEAD', '--', 'package.json').stdout).toBe(
      '1\t1\tpackage.json\n',
    );
    expect(read('release/image.json')).toContain(`:${NEXT}`);
    expect(read('docs/releases.md')).toMatch(/^The version before this one is `v1000\.0\.0`\.$/m);
  });

  it('given --dry-run, when it ends, then it has said what would change, and nothing has', () => {
    const { stdout } = release(NEXT, '--dry-run');
    expect(stdout).toContain('would write apps/all-in-one/package.json\n');
    expect(stdout).toContain(`tag it v${NEXT}\n`);
    expect(run('git', 'status', '--porcelain').stdout).toBe('');
    expect(run('git', 'tag').stdout).toBe('');
  });

  it.each([
    ['a lower version', '0.0.1', /^release: 0\.0\.1 is not above the current version/],
    ['no version', 'next', /^release: write `npm run release/],
  ])('given %s, when it is released, then it is refused', (_name, version, complaint) => {
    expect(release(version)).toMatchObject({ status: 1, stderr: expect.stringMatching(complaint) as string });
  });

  it('given changes that are not committed, when a version is released, then it is refused', () => {
    writeFileSync(path.join(clone, 'README.md'), 'changed');
    expect(release(NEXT).stderr).toMatch(/^release: the working tree has changes/);
  });
});
