import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listClusterFiles, segmentNames } from './cluster-files.js';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'settle-cluster-'));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

describe('listClusterFiles', () => {
  it("given a cluster's folder, when it is listed, then what belongs to the running server alone is left out", async () => {
    for (const name of ['base/5', 'pg_wal/summaries', 'pg_notify', 'pg_xact']) {
      await mkdir(join(folder, name), { recursive: true });
    }
    const files = [
      'PG_VERSION',
      'postmaster.pid',
      'server.log',
      'base/5/1',
      'base/5/pg_internal.init',
      'pg_notify/0000',
    ];
    for (const name of [...files, 'pg_wal/000000010000000000000001', 'pg_xact/0000']) {
      await writeFile(join(folder, name), 'abc');
    }
    const listed = await listClusterFiles(folder);
    expect([...listed.folders].sort()).toEqual(['base', 'base/5', 'pg_notify', 'pg_wal', 'pg_xact']);
    expect(listed.files.map(({ path }) => path).sort()).toEqual(['PG_VERSION', 'base/5/1', 'pg_xact/0000']);
    expect(listed.files.every(({ bytes }) => bytes === 3)).toBe(true);
  });

  it('given a cluster with a tablespace, when it is listed, then one line says that this is not backed up', async () => {
    await mkdir(join(folder, 'pg_tblspc'));
    await symlink(tmpdir(), join(folder, 'pg_tblspc', '16400'));
    await expect(listClusterFiles(folder)).rejects.toThrow('pg_tblspc/16400 of the cluster is a link: tablespaces');
  });
});

describe('segmentNames', () => {
  it('given segments on both sides of the end of a log file, when they are named, then none is missing', () => {
    const first = '0000000300000001000000FE';
    expect(segmentNames(first, '000000030000000200000001', 16 * 2 ** 20)).toEqual([
      first,
      '0000000300000001000000FF',
      '000000030000000200000000',
      '000000030000000200000001',
    ]);
    expect(segmentNames(first, first, 16 * 2 ** 20)).toEqual([first]);
  });

  it('given segments of two timelines, when they are named, then one line says so', () => {
    const named = () => segmentNames('000000010000000000000001', '000000020000000000000002', 16 * 2 ** 20);
    expect(named).toThrow('The timeline of the server changed');
  });
});
