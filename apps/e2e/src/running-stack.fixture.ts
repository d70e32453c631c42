import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { StackProcess, StackState } from '@settle/testing';

const MAIN = fileURLToPath(new URL('../../stack/dist/main.js', import.meta.url));

/** Where the stack under test keeps its data. */
function dataDir(): string {
  const folder = process.env.E2E_DATA_DIR;
  if (folder === undefined) throw new Error('These specs look into a stack that their own run has started.');
  return folder;
}

/** What the stack under test says of its processes. */
export async function stackStatus(): Promise<StackState> {
  const options = { env: { PATH: process.env.PATH, DATA_DIR: dataDir() } };
  const { stdout } = await promisify(execFile)(process.execPath, [MAIN, 'status', '--json'], options);
  return JSON.parse(stdout) as StackState;
}

/** The process of this name, such as `payments-1`. */
export async function stackProcess(name: string): Promise<StackProcess> {
  const found = (await stackStatus()).instances.find((instance) => instance.name === name);
  if (found === undefined) throw new Error(`The stack has no ${name}.`);
  return found;
}

/** Base URLs of the gateways themselves, past the front that stands before them. */
export async function gatewayUrls(): Promise<string[]> {
  const { instances } = await stackStatus();
  const gateways = instances.filter(({ name }) => name.startsWith('gateway-'));
  return gateways.map(({ httpPort }) => `http://127.0.0.1:${httpPort}/v1`);
}

/** A service's own database, as that service reaches it. */
export async function databaseUrl(service: 'auth' | 'users' | 'payments'): Promise<string> {
  const name = `settle_${service}`;
  const secrets = JSON.parse(await readFile(join(dataDir(), 'secrets.json'), 'utf8')) as Record<string, string>;
  const port = (await readFile(join(dataDir(), 'postgres', 'settle.port'), 'utf8')).trim();
  return `postgresql://${name}:${secrets[name]}@127.0.0.1:${port}/${name}`;
}
