import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readBuildInfo } from './build-info.js';

const COMMIT = '0123456789abcdef0123456789abcdef01234567';
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'settle-build-'));
  await mkdir(path.join(folder, '.git/refs/heads'), { recursive: true });
});
afterEach(() => rm(folder, { recursive: true }));

describe('what runs', () => {
  it('given this product, when it is read, then its version and the version of Node are known', () => {
    expect(readBuildInfo()).toMatchObject({
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      node: process.versions.node,
    });
  });

  it('given a branch of a checkout, when it is read, then its commit is known', async () => {
    await writeFile(path.join(folder, 'package.json'), '{"version":"1.2.3"}');
    await writeFile(path.join(folder, '.git/HEAD'), 'ref: refs/heads/main\n');
    await writeFile(path.join(folder, '.git/refs/heads/main'), `${COMMIT}\n`);
    expect(readBuildInfo(folder)).toMatchObject({ version: '1.2.3', commit: COMMIT });
  });

  it('given a branch that git has packed, when it is read, then its commit is known', async () => {
    await writeFile(path.join(folder, '.git/HEAD'), 'ref: refs/heads/main\n');
    await writeFile(path.join(folder, '.git/packed-refs'), `# pack-refs with: peeled\n${COMMIT} refs/heads/main\n`);
    expect(readBuildInfo(folder).commit).toBe(COMMIT);
  });

  it('given an image that was built with its commit, when it is read, then that is the commit', async () => {
    await writeFile(path.join(folder, 'COMMIT'), `${COMMIT}\n`);
    expect(readBuildInfo(folder).commit).toBe(COMMIT);
  });

  it('given a folder that tells nothing, when it is read, then version and commit are unknown', async () => {
    await writeFile(path.join(folder, '.git/HEAD'), 'no commit\n');
    expect(readBuildInfo(folder)).toMatchObject({ version: 'unknown', commit: 'unknown' });
  });
});
