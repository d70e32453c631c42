import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkFiles, readManifest, writeManifest, type BackupManifest } from './manifest.js';

const CONTENT = 'passwords';

const manifest: BackupManifest = {
  format: 1,
  takenAt: '2026-11-23T03:00:00.000Z',
  settleVersion: '0.1.0',
  shape: 'embedded',
  postgres: { kind: 'bundled', version: '18.4', platform: 'linux-x64', startLsn: '0/2000028', stopLsn: '0/3000000' },
  log: { eventStore: 'postgres', newestEvent: null, checkpoint: 0, sandboxCheckpoint: 0, published: 0 },
  folders: [],
  files: [{ path: 'secrets.json', bytes: CONTENT.length, sha256: createHash('sha256').update(CONTENT).digest('hex') }],
};

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'settle-manifest-'));
  await writeFile(join(folder, 'secrets.json'), CONTENT);
});

afterEach(() => rm(folder, { recursive: true, force: true }));

const check = () => checkFiles(folder, manifest, () => undefined);

describe('the manifest of a backup', () => {
  it('given a complete backup, when it is read and checked, then it is what was written', async () => {
    await writeManifest(folder, manifest);
    expect(await readManifest(folder)).toEqual(manifest);
    await expect(check()).resolves.toBeUndefined();
  });

  it('given a folder without a manifest, when it is read, then one line says that the backup is not complete', async () => {
    await expect(readManifest(folder)).rejects.toThrow(/is not a complete backup: .* \(ENOENT\)$/);
  });

  it.each([
    [
      'another position',
      (text: string) => text.replace('"checkpoint": 0', '"checkpoint": 1'),
      /its own checksum does not/,
    ],
    ['half of its text', (text: string) => text.slice(0, text.length / 2), /is damaged: it is not JSON/],
    ['a later format', (text: string) => text.replace('"format": 1', '"format": 2'), /has the format 2; .* reads 1/],
  ])('given a manifest with %s, when it is read, then it is refused', async (_what, change, complaint) => {
    await writeManifest(folder, manifest);
    const path = join(folder, 'manifest.json');
    await writeFile(path, change(await readFile(path, 'utf8')));
    await expect(readManifest(folder)).rejects.toThrow(complaint);
  });

  it('given a file that changed or is gone, when the files are checked, then it is named', async () => {
    await writeFile(join(folder, 'secrets.json'), 'passwordz');
    await expect(check()).rejects.toThrow('secrets.json is not what its manifest says');
    await rm(join(folder, 'secrets.json'));
    await expect(check()).rejects.toThrow('secrets.json cannot be read (ENOENT)');
  });
});
