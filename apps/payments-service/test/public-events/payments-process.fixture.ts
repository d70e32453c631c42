import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { programEnvironment } from '@settle/testing';

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const PROVIDER = fileURLToPath(new URL('../../../reference-provider/dist/main.js', import.meta.url));
const CONSUMER = fileURLToPath(new URL('../../../../docs/events/consumer.mjs', import.meta.url));

const LONGEST_WAIT_MS = 30_000;

/** A process that writes lines. */
export interface SpecProcess {
  /** Resolves once a line holds this text; rejects, with what it wrote, when it ends before or takes too long. */
  says(text: string): Promise<void>;
  readonly lines: readonly string[];
  /** Those on its standard output: warnings of Node come on the other. */
  readonly printed: readonly string[];
  kill(): Promise<void>;
}

/** An instance of the payments service, as it is built, on a Kafka and a database. */
export const startPaymentsProcess = (env: Record<string, string>): SpecProcess =>
  start([MAIN], { HEALTH_PORT: '0', LOG_LEVEL: 'info', PUBLIC_URL: 'http://localhost:3000', ...env });

/** The reference provider, as it is built. */
export const startProviderProcess = (env: Record<string, string>): SpecProcess => start([PROVIDER], env);

/** The consumer that the documentation offers. */
export const startDocumentedConsumer = (env: Record<string, string>): SpecProcess => start([CONSUMER], env);

/** A module that is given as text. */
export const startModule = (text: string): SpecProcess => start(['--input-type=module', '--eval', text], {});

function start(args: readonly string[], env: Record<string, string>): SpecProcess {
  const child = spawn(process.execPath, args, {
    cwd: import.meta.dirname,
    env: { ...programEnvironment(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines: string[] = [];
  const printed: string[] = [];
  const listeners = new Set<() => void>();
  const ended = once(child, 'close');
  const hear = (line: string) => {
    lines.push(line);
    for (const listener of listeners) listener();
  };
  for (const stream of [child.stdout, child.stderr]) createInterface({ input: stream }).on('line', hear);
  createInterface({ input: child.stdout }).on('line', (line) => printed.push(line));
  return {
    lines,
    printed,
    says: (text) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (lines.some((line) => line.includes(text))) resolve();
        };
        const complain = () => reject(new Error(`It has not said "${text}":\n${lines.join('\n')}`));
        listeners.add(look);
        look();
        void ended.then(complain);
        setTimeout(complain, LONGEST_WAIT_MS).unref();
      }),
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
