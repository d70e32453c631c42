import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parse } from 'yaml';
import { generateService } from './generate.mjs';

const root = path.resolve(import.meta.dirname, '../..');
const NOT_OURS = /\/(node_modules|\.nx)(\/|$)/;
const COPIED = ['apps', 'libs', 'tools', 'docker-compose.yml', 'package.json', 'jest.config.mjs', 'tsconfig.base.json'];

let copy: string;

/** A checkout in which packages of this workspace are those of the copy. */
function copyCheckout(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'settle-new-service-'));
  const filter = (source: string) => !NOT_OURS.test(source.slice(root.length));
  for (const name of COPIED) cpSync(path.join(root, name), path.join(folder, name), { recursive: true, filter });
  const [packages, own] = [path.join(root, 'node_modules'), path.join(folder, 'node_modules/@settle')];
  mkdirSync(own, { recursive: true });
  for (const name of readdirSync(packages).filter((each) => each !== '@settle')) {
    symlinkSync(path.join(packages, name), path.join(folder, 'node_modules', name));
  }
  symlinkSync('../../apps/receipts-service', path.join(own, 'receipts-service'));
  for (const name of readdirSync(path.join(packages, '@settle'))) {
    const kind = readdirSync(path.join(folder, 'libs')).includes(name) ? 'libs' : 'apps';
    symlinkSync(`../../${kind}/${name}`, path.join(own, name));
  }
  for (const project of readdirSync(path.join(root, 'apps')).map((name) => path.join('apps', name, 'node_modules'))) {
    if (existsSync(path.join(root, project))) symlinkSync(path.join(root, project), path.join(folder, project));
  }
  return folder;
}

/** Runs a program of the packages in the copy and returns its output, after which it must have succeeded. */
function run(program: string, ...args: readonly string[]): string {
  const node = ['--no-warnings', '--experimental-vm-modules', `node_modules/${program}`, ...args];
  const { status, stdout, stderr } = spawnSync(process.execPath, node, { cwd: copy, encoding: 'utf8' });
  expect(status === 0 ? '' : stdout + stderr).toBe('');
  return stdout;
}

beforeAll(() => {
  copy = copyCheckout();
});
afterAll(() => rmSync(copy, { recursive: true, force: true }));

describe('npm run new-service', () => {
  it('given a name, when a service is made, then its code and the launcher compile, its spec passes and containers run it', () => {
    const paths = generateService(copy, 'receipts', Date.now());
    const edited = paths.filter((one) => !one.startsWith('apps/receipts-service/'));
    expect(edited).toHaveLength(5);
    run('typescript7/bin/tsc', '-p', 'apps/receipts-service/tsconfig.json');
    run('typescript7/bin/tsc', '-p', 'apps/all-in-one/tsconfig.json');
    const spec = run('jest/bin/jest.js', '--selectProjects', 'int', '--testPathPatterns', 'receipts-service', '--json');
    expect(JSON.parse(spec)).toMatchObject({ numPassedTests: 1, success: true });
    const { services } = parse(readFileSync(path.join(copy, 'docker-compose.yml'), 'utf8'), { merge: true }) as {
      services: Record<string, object>;
    };
    expect(Object.keys(services)).toEqual(expect.arrayContaining(['receipts-service', 'receipts-migrations']));
  }, 120_000);

  it.each(['', 'Receipts', 'two words', '../up', 'users'])(
    'given the name "%s", when a service is made, then it is refused and nothing is written',
    (name) => {
      const before = readdirSync(path.join(copy, 'apps'));
      expect(() => generateService(copy, name, Date.now())).toThrow(/^Usage: |exists already/);
      expect(readdirSync(path.join(copy, 'apps'))).toEqual(before);
    },
  );
});
