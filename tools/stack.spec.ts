import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const root = path.dirname(import.meta.dirname);

describe('npm run stack -- status', () => {
  it('given a folder without a stack, when the status is requested, then it says so and nothing is built', async () => {
    const dataDir = await mkdtemp(path.join(tmpdir(), 'settle-no-stack-'));
    const env = { PATH: process.env['PATH'] ?? '', DATA_DIR: dataDir };
    const asking = promisify(execFile)('npm', ['run', '--silent', 'stack', '--', 'status'], { cwd: root, env });
    await expect(asking).rejects.toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/stack/i) });
    await rm(dataDir, { recursive: true, force: true });
  });
});
