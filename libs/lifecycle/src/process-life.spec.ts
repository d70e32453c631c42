import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const MODULE = fileURLToPath(new URL('../dist/process-life.js', import.meta.url));

describe('runUntilStopped', () => {
  it.each([
    ['a signal', `process.kill(process.pid, 'SIGTERM');`],
    ['a failure', `running.fail(new Error('the reader ended'));`],
  ])('given a start that never ends, when %s comes, then the process exits in time', async (_, cause) => {
    const program = `
      import { runUntilStopped } from ${JSON.stringify(MODULE)};
      setInterval(() => undefined, 60_000);
      await runUntilStopped((running) => new Promise(() => { ${cause} }), 50);`;
    const child = spawn(process.execPath, ['--input-type=module', '--eval', program]);
    let complaint = '';
    child.stderr.on('data', (chunk: Buffer) => (complaint += chunk.toString()));
    const [code] = await once(child, 'close');
    expect(code).toBe(1);
    expect(complaint).toContain('did not stop in time (the start)');
  });
});
