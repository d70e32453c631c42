import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eventually, freePort, programEnvironment } from '@settle/testing';

const START_TIMEOUT_MS = 45_000;

/** A service in its own process, as a supervisor runs it. */
export interface ServiceProcess {
  readonly healthUrl: string;
  /** Returns status and body of `/health/ready`, or null if no process listens. */
  readiness(): Promise<{ readonly status: number; readonly body: unknown } | null>;
  /** Returns the page `/metrics`. */
  metrics(): Promise<string>;
  /** Resolves once the service is ready. Rejects with its output if it ends before. */
  ready(): Promise<void>;
  signal(name: NodeJS.Signals): void;
  /** Resolves with exit code, lines on standard error, and the duration from now. */
  ended(): Promise<{ readonly code: number | null; readonly errors: readonly string[]; readonly tookMs: number }>;
}

const ROOT = join(import.meta.dirname, '..', '..', '..');

/** Runs the built `migrate.js` of an app to its end. Rejects with its output when it fails. @param root of a checkout */
export async function migrate(app: string, env: Readonly<Record<string, string>>, root = ROOT): Promise<string> {
  const program = join(root, 'apps', app, 'dist', 'migrate.js');
  const options = { env: { ...programEnvironment(), ...env }, timeout: START_TIMEOUT_MS };
  return (await promisify(execFile)(process.execPath, [program], options)).stdout;
}

/** Starts the built `main.js` of an app with this environment and a port for its health. @param root of a checkout */
export async function startService(
  app: string,
  env: Readonly<Record<string, string>>,
  root = ROOT,
): Promise<ServiceProcess> {
  const main = join(root, 'apps', app, 'dist', 'main.js');
  const healthPort = await freePort();
  const child = spawn(process.execPath, [main], {
    env: { ...programEnvironment(), LOG_LEVEL: 'error', HEALTH_PORT: String(healthPort), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = { output: '', errors: '' };
  child.stdout.on('data', (chunk: Buffer) => (said.output = (said.output + chunk.toString()).slice(-20_000)));
  child.stderr.on('data', (chunk: Buffer) => (said.errors += chunk.toString()));
  const closed = once(child, 'close');
  const healthUrl = `http://127.0.0.1:${healthPort}/health`;
  const readiness = () => readinessAt(healthUrl);
  return {
    healthUrl,
    readiness,
    metrics: async () => (await fetch(new URL('/metrics', healthUrl))).text(),
    ready: () =>
      eventually(
        async () => {
          const response = hasEnded(child) ? null : await readiness();
          if (response?.status !== 200) throw new Error(`${app}: ${JSON.stringify(response)} ${JSON.stringify(said)}`);
        },
        { timeoutMs: START_TIMEOUT_MS },
      ),
    signal: (name) => void child.kill(name),
    async ended() {
      const startedAtMs = performance.now();
      await closed;
      const errors = said.errors.split('\n').filter((line) => line !== '');
      return { code: child.exitCode, errors, tookMs: performance.now() - startedAtMs };
    },
  };
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

async function readinessAt(healthUrl: string) {
  try {
    const response = await fetch(`${healthUrl}/ready`);
    return { status: response.status, body: await response.json() };
  } catch {
    return null;
  }
}
