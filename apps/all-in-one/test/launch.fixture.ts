import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { programEnvironment } from '@settle/testing';

const MAIN = join(import.meta.dirname, '../dist/main.js');
export const READY = /^Ready: (http\S+)$/;

export interface Launch {
  /** Resolves with what the pattern's group caught of a printed line; rejects when it ends before that. */
  says(pattern: RegExp): Promise<string>;
  signal(name: NodeJS.Signals): void;
  /** Exit code, and what was said on standard error. */
  ended(): Promise<{ code: number | null; errors: string[] }>;
}

let dataDir: string;
const launched: Launch[] = [];

/** Has a data folder for each spec of a file; returns its path as it is now. */
export function useDataDir(): () => string {
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'settle launch '));
  });

  afterEach(async () => {
    for (const running of launched.splice(0)) {
      running.signal('SIGTERM');
      await running.ended();
    }
    await rm(dataDir, { recursive: true, force: true });
  });
  return () => dataDir;
}

/** Starts the built product on the data folder of the spec. */
export function launch(env: Record<string, string>): Launch {
  const all = { ...programEnvironment(), PORT: '0', DATA_DIR: dataDir, LOG_LEVEL: 'warn', ...env };
  const child = spawn(process.execPath, ['--no-warnings', MAIN], { env: all, stdio: ['ignore', 'pipe', 'pipe'] });
  const lines = createInterface({ input: child.stdout });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const closed = once(child, 'close').then(() => ({
    code: child.exitCode,
    errors: errors.split('\n').filter((line) => line !== ''),
  }));
  const said: string[] = [];
  lines.on('line', (line) => said.push(line));
  const says = (pattern: RegExp): Promise<string> =>
    new Promise((resolve, reject) => {
      const look = (line: string): void => {
        const found = pattern.exec(line);
        if (found !== null) resolve(found[1] ?? '');
      };
      said.forEach(look);
      lines.on('line', look);
      void closed.then((end) => reject(new Error(`Ended without saying it: ${JSON.stringify(end)}`)));
    });
  const launch = { says, signal: (name: NodeJS.Signals) => void child.kill(name), ended: () => closed };
  launched.push(launch);
  return launch;
}

/** Starts what must not start, and gives its one line. */
export async function refusal(env: Record<string, string>): Promise<string> {
  const { code, errors } = await launch(env).ended();
  expect({ code, lines: errors.length }).toEqual({ code: 1, lines: 1 });
  return errors[0] ?? '';
}

/** Stops a product, which must end without an error. */
export async function stops(running: Launch): Promise<void> {
  running.signal('SIGTERM');
  expect(await running.ended()).toEqual({ code: 0, errors: [] });
}
