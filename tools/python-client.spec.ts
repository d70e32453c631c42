import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { pythonPath } from './python-environment.mjs';

const root = path.dirname(import.meta.dirname);
const project = path.join(root, 'sdks/python');

/** Runs a module of Python in the project and returns its output, after which it must have succeeded. */
async function python(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> {
  const options = { cwd: project, env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1', ...env } };
  try {
    return (await promisify(execFile)(pythonPath() ?? 'python3', [...args], options)).stdout;
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(stdout + stderr);
  }
}

// On a machine without Python, npm test leaves this file out and says so.
describe('the package settle-client', () => {
  it.each([
    ['format', ['-m', 'ruff', 'format', '--check', '.']],
    ['lint', ['-m', 'ruff', 'check', '.']],
    ['types', ['-m', 'mypy']],
    ['models from docs/openapi.json (else: python generate_models.py)', ['generate_models.py', '--check']],
    ['specs', ['-m', 'pytest', '-q', '-p', 'no:cacheprovider']],
  ])('given its sources, when its %s are checked, then they are right', async (_, args) => {
    await python(args);
  });

  it('given a wheel, when it is installed alone and imported, then it has the version of the product', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'settle-wheel-'));
    try {
      await python(['-m', 'build', '--wheel', '--no-isolation', '--outdir', folder]);
      const [wheel = ''] = readdirSync(folder);
      const site = path.join(folder, 'site');
      await python([
        '-m',
        'pip',
        'install',
        '-q',
        '--no-deps',
        '--no-index',
        '--target',
        site,
        path.join(folder, wheel),
      ]);
      const program =
        'import importlib.metadata, settle_client as s; print(s.__file__, importlib.metadata.version("settle-client"))';
      const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { version: string };
      const imported = await python(['-c', program], { PYTHONPATH: site });
      expect(imported.trim()).toBe(`${path.join(site, 'settle_client/__init__.py')} ${version}`);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
