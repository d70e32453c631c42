import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Cluster } from './cluster.js';
import { findServer } from './stop-server.js';

describe('findServer', () => {
  let folder: string;
  const find = () => findServer({ folder } as Cluster);
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'settle-cluster-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('given no file of a process, when it is asked, then there is no server', async () => {
    await expect(find()).resolves.toBeNull();
  });

  it('given the id of another program, when it is asked, then there is no server', async () => {
    await writeFile(join(folder, 'postmaster.pid'), `${process.pid}\n${folder}\n0\n5432\n`);
    // Elsewhere a running process counts as the server.
    if (process.platform === 'linux') await expect(find()).resolves.toBeNull();
  });

  it('given a file that cannot be read, when it is asked, then that is an error, and not a server that has ended', async () => {
    await mkdir(join(folder, 'postmaster.pid'));
    await expect(find()).rejects.toThrow('EISDIR');
  });
});
