import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { eventually, programEnvironment, type StackProcess, type StackState } from '@settle/testing';
import pg from 'pg';
import { bundledDatabaseUrl } from './bundled-database.fixture.js';
import { waitUntilReady } from './faults/stack-under-faults.fixture.js';

const MAIN = fileURLToPath(new URL('../../stack/dist/main.js', import.meta.url));

const STARTED_AGAIN_WAIT_MS = 30_000;

/** Returns the data folder of the product under test. */
function dataDir(): string {
  const folder = process.env.E2E_DATA_DIR;
  if (folder === undefined) throw new Error('These specs need the product that their own run has started.');
  return folder;
}

/** Returns the state of the stack under test. */
export async function stackStatus(): Promise<StackState> {
  const options = { env: { ...programEnvironment(), DATA_DIR: dataDir() } };
  const { stdout } = await promisify(execFile)(process.execPath, [MAIN, 'status', '--json'], options);
  return JSON.parse(stdout) as StackState;
}

/** Returns the process of this name, such as `payments-1`. */
export async function stackProcess(name: string): Promise<StackProcess> {
  const found = (await stackStatus()).instances.find((instance) => instance.name === name);
  if (found === undefined) throw new Error(`The stack has no ${name}.`);
  return found;
}

/** Returns the base URLs of the gateways themselves, each on a port of its own beside the public one. */
export async function gatewayUrls(): Promise<string[]> {
  const { instances } = await stackStatus();
  const gateways = instances.filter(({ name }) => name.startsWith('gateway-'));
  return gateways.map(({ httpPort }) => `http://127.0.0.1:${httpPort}/v1`);
}

type DatabaseOwner = 'auth' | 'users' | 'payments' | 'reference_provider';

/** Returns the URL of a service's database with the role of the service, in any shape. */
export function databaseUrl(service: DatabaseOwner): Promise<string> {
  const name = `settle_${service}`;
  return bundledDatabaseUrl(dataDir(), name, name);
}

/** Runs queries on a service's database over a connection that ends with the work. */
export async function withDatabase<Result>(
  service: DatabaseOwner,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client(await databaseUrl(service));
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Processes that are killed like by a power cut and start again. */
export interface KillTarget {
  kill(): Promise<void>;
  /** Resolves once they accept requests again. */
  back(): Promise<void>;
}

/** Returns processes of the stack under test, such as `auth-1`, which the supervisor restarts. */
export async function selectProcesses(...names: readonly string[]): Promise<KillTarget> {
  const before = await Promise.all(names.map(stackProcess));
  const isStartedAgain = async ({ name, pid }: StackProcess) => {
    const now = await stackProcess(name);
    if (now.pid === null || now.pid === pid) throw new Error(`${name} has not been started again.`);
  };
  return {
    async kill() {
      for (const { pid } of before) process.kill(pid ?? 0, 'SIGKILL');
    },
    async back() {
      for (const one of before) await eventually(() => isStartedAgain(one), { timeoutMs: STARTED_AGAIN_WAIT_MS });
      await Promise.all(before.map(waitUntilReady));
    },
  };
}
