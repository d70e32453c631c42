import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buildAndNote, isBuilt } from './built.mjs';

describe('the note of a build', () => {
  let checkout: string;
  const write = (file: string, text: string) => {
    const target = path.join(checkout, file);
    mkdirSync(path.dirname(target), { recursive: true });
    writeFileSync(target, text);
  };

  beforeEach(() => {
    checkout = mkdtempSync(path.join(tmpdir(), 'settle-built-'));
    const sources = [
      'apps/one/src/main.ts',
      'apps/one/package.json',
      'apps/one/tsconfig.lib.json',
      'libs/two/src/a.ts',
      'sdks/three/src/a.ts',
    ];
    const beside = ['nx.json', 'tsconfig.base.json', 'package-lock.json'];
    for (const file of [...sources, ...beside, 'apps/one/dist/main.js', 'libs/two/dist/a.js']) write(file, 'x');
  });
  afterEach(() => rmSync(checkout, { recursive: true }));

  const build = (work: () => void = () => undefined) => buildAndNote(checkout, () => Promise.resolve(work()));

  it('given no build, when it is asked for, then there was none; after one, there was', async () => {
    expect(isBuilt(checkout)).toBe(false);
    await build(() => write('apps/one/dist/other.js', 'x'));
    expect(isBuilt(checkout)).toBe(true);
  });

  it.each([
    ['a source of another size', () => write('apps/one/src/main.ts', 'xy')],
    ['a new source', () => write('libs/two/src/b.ts', 'x')],
    ['a new project', () => write('libs/three/package.json', '{}')],
    ['other packages', () => write('package-lock.json', 'xy')],
    ['a source of another time', () => utimesSync(path.join(checkout, 'libs/two/src/a.ts'), 1, 1)],
    ['a missing output', () => rmSync(path.join(checkout, 'libs/two/dist/a.js'))],
    ['a missing folder', () => rmSync(path.join(checkout, 'libs'), { recursive: true })],
  ])('given %s since the build, when it is asked for, then there was none', async (_what, change) => {
    await build();
    change();
    expect(isBuilt(checkout)).toBe(false);
  });

  it('given a changed spec, when it is asked for, then the build is still that of now', async () => {
    await build();
    write('apps/one/src/main.spec.ts', 'x');
    expect(isBuilt(checkout)).toBe(true);
  });

  it('given a source that changes during a build, when it is asked for, then there was none', async () => {
    await build(() => write('apps/one/src/main.ts', 'xy'));
    expect(isBuilt(checkout)).toBe(false);
  });

  it('given a build that fails, when it is asked for, then there was none', async () => {
    const failure = new Error('types');
    await expect(buildAndNote(checkout, () => Promise.reject(failure))).rejects.toBe(failure);
    expect(isBuilt(checkout)).toBe(false);
  });
});
