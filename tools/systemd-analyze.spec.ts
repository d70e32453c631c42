import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const root = path.dirname(import.meta.dirname);
const folder = path.join(root, 'deploy/systemd');
const units = readdirSync(folder);

/**
 * Returns the complaints of systemd about units; it looks for their programs, so those of this checkout are named, by links
 * because a checkout's path may have spaces.
 */
function complaintsAbout(contents: ReadonlyMap<string, string>): string {
  const copies = mkdtempSync(path.join(tmpdir(), 'settle-units-'));
  try {
    const [node, checkout] = [path.join(copies, 'node'), path.join(copies, 'checkout')];
    symlinkSync(process.execPath, node);
    symlinkSync(root, checkout);
    for (const [unit, text] of contents) {
      const here = text.replaceAll('/usr/bin/node', node).replaceAll('/opt/settle', checkout);
      writeFileSync(path.join(copies, unit), here);
    }
    const files = [...contents.keys()].map((unit) => path.join(copies, unit));
    const { stdout, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', ...files], { encoding: 'utf8' });
    return stdout + stderr;
  } finally {
    rmSync(copies, { recursive: true });
  }
}

describe('units of systemd', () => {
  it('given systemd, when it verifies the units, then it has no complaint, and it would have one', () => {
    const contents = new Map(units.map((unit) => [unit, readFileSync(path.join(folder, unit), 'utf8')]));
    expect(complaintsAbout(contents)).toBe('');
    const broken = (contents.get('settle.service') ?? '').replace('NoNewPrivileges', 'NoMorePrivileges');
    expect(complaintsAbout(new Map([['settle.service', broken]]))).toContain('NoMorePrivileges');
  });
});
