import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { claimDataFolder } from './data-folder.js';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'settle claim '));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

describe('claimDataFolder', () => {
  it('given a free folder, when it is claimed twice, then the error of the second names the holder', async () => {
    const place = join(folder, 'new', 'data');
    const claim = await claimDataFolder(place);
    await expect(claimDataFolder(place)).rejects.toThrow(`(process ${process.pid})`);
    await claim.release();
    await (await claimDataFolder(place)).release();
    expect(await readdir(place)).toEqual([]);
  });

  it.each([
    ['no process', '4194304000 17'],
    ['a process that began at another time', `${process.pid} 17`],
    ['nothing at all', ''],
  ])('given a claim of %s, when it is claimed, then it is taken over', async (_what, left) => {
    await writeFile(join(folder, 'settle.pid'), left);
    const claim = await claimDataFolder(folder);
    expect(await readFile(join(folder, 'settle.pid'), 'utf8')).toMatch(new RegExp(`^${process.pid} `));
    await claim.release();
  });

  it('given a claim that is dead, when many claim at once, then one gets it', async () => {
    await writeFile(join(folder, 'settle.pid'), '4194304000 17');
    const claims = await Promise.allSettled([1, 2, 3, 4, 5].map(() => claimDataFolder(folder)));
    expect(claims.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('given a path below a file, when it is claimed, then one line says that it cannot be written', async () => {
    await writeFile(join(folder, 'file'), '');
    await expect(claimDataFolder(join(folder, 'file', 'data'))).rejects.toThrow(/cannot be written \(ENOTDIR\)/);
  });
});
