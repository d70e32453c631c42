import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listClusterFiles, listSegmentNames } from './cluster-files.js';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'settle-cluster-'));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

describe('listClusterFiles', () => {
  it('given the folder of a cluster, when its files are listed, then files of the running server are omitted', async () => {
    for (const name of ['base/5', 'pg_wal/summaries', 'pg_notify', 'pg_xact']) {
      await mkdir(join(folder, name), { recursive: true });
    }
    const files = [
      'PG_VERSION',
      'postmaster.pid',
      'server.log',
      '.s.PGSQL.5432.lock',
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

  it('given a cluster with a tablespace, when its files are listed, then the error says that backups do not support it', async () => {
    await mkdir(join(folder, 'pg_tblspc'));
    await symlink(tmpdir(), join(folder, 'pg_tblspc', '16400'));
    await expect(listClusterFiles(folder)).rejects.toThrow(
      'pg_tblspc/16400 of the cluster is a symbolic link: backups do not support tablespaces',
    );
  });
});

describe('segmentNames', () => {
  it('given two segments in consecutive log files, when the names between them are listed, then none is missing', () => {
    const first = '0000000300000001000000FE';
    expect(listSegmentNames(first, '000000030000000200000001', 16 * 2 ** 20)).toEqual([
      first,
      '0000000300000001000000FF',
      '000000030000000200000000',
      '000000030000000200000001',
    ]);
    expect(listSegmentNames(first, first, 16 * 2 ** 20)).toEqual([first]);
  });

  it('given segments of two timelines, when the names between them are listed, then the error says so', () => {
    const list = () => listSegmentNames('000000010000000000000001', '000000020000000000000002', 16 * 2 ** 20);
    expect(list).toThrow('The timeline of the server changed');
  });
});
