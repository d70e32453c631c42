import { execFile, spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { asAdmin } from './product.mjs';

const DATABASE = 'bench_tpcb';
const DEBIAN_PLACE = '/usr/lib/postgresql';
const run = promisify(execFile);

/** The program, in the path or where Debian's packages put it; null when it is not installed. */
function locate() {
  const debian = existsSync(DEBIAN_PLACE) ? readdirSync(DEBIAN_PLACE).sort((a, b) => Number(b) - Number(a)) : [];
  const places = ['pgbench', ...debian.map((version) => join(DEBIAN_PLACE, version, 'bin', 'pgbench'))];
  return places.find((place) => spawnSync(place, ['--version']).error === undefined) ?? null;
}

/**
 * TPC-B on the same server, in a database of its own, filled at this scale. Answers a function that runs it with a
 * number of clients for some seconds and answers transactions per second; null when pgbench is not installed.
 */
export async function preparePgbench({ adminUrl, scale }) {
  const program = locate();
  if (program === null) return null;
  const { hostname, port, username, password } = new URL(adminUrl);
  const env = {
    ...process.env,
    PGHOST: hostname,
    PGPORT: port,
    PGUSER: decodeURIComponent(username),
    PGPASSWORD: decodeURIComponent(password),
  };
  await asAdmin(adminUrl, (client) => client.query(`create database ${DATABASE}`));
  await run(program, ['-i', '-q', '-s', String(scale), DATABASE], { env });
  return async ({ clients, seconds }) => {
    const jobs = String(Math.min(2, clients));
    const args = ['-n', '-M', 'prepared', '-c', String(clients), '-j', jobs, '-T', String(seconds), DATABASE];
    const { stdout } = await run(program, args, { env });
    const perSecond = Number(/^tps = ([0-9.]+)/m.exec(stdout)?.[1]);
    if (!(perSecond > 0)) throw new Error(`pgbench said nothing of use: ${stdout}`);
    return perSecond;
  };
}
