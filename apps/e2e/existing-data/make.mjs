/**
 * `node apps/e2e/existing-data/make.mjs <checkout> <name>` makes a small data folder of each shape with the code of another
 * checkout (built, such as a `git worktree` of the last commit before a change of stored data), and a file of the values
 * that later code must still find in it. It writes `<name>-<shape>.tar.br` and `<name>-<shape>.json` into
 * this folder. `existing-data.e2e.spec.ts` starts the code of this checkout on each of them.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import pg from 'pg';
import { makePayments, observe } from './scenario.mjs';
import { DATABASES, LAST_FOREVER, tableQueries } from './tables.mjs';

const [checkout, name] = process.argv.slice(2);
if (name === undefined) throw new Error('Write: node apps/e2e/existing-data/make.mjs <built checkout> <name>');
const target = import.meta.dirname;
const MAINS = { embedded: 'apps/all-in-one/dist/main.js', stack: 'apps/stack/dist/main.js' };
const PORT = '33210';
const READY_TIMEOUT_MS = 120_000;

async function start(shape, dataDir) {
  const url = `http://127.0.0.1:${PORT}`;
  const kafka = shape === 'stack' ? { KAFKA_PORT: '0' } : {};
  const settings = { ...kafka, DATA_DIR: dataDir, PORT, PUBLIC_URL: url, LOG_LEVEL: 'warn', RATE_LIMITS: 'off' };
  const env = { ...process.env, ...settings, NODE_OPTIONS: '', NODE_ENV: 'development', DEMO: 'true' };
  const child = spawn(process.execPath, [join(checkout, MAINS[shape])], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const signal = AbortSignal.timeout(READY_TIMEOUT_MS);
  for (let printed = ''; !/^Ready: /m.test(printed);) printed += (await once(child.stdout, 'data', { signal }))[0];
  child.stdout.resume();
  const stop = async () => {
    child.kill('SIGTERM');
    await once(child, 'exit');
  };
  return { url, stop };
}

/** Calls the checkout's own command, because the way to a token may differ from this checkout's. */
function requestToken(url, username, scope) {
  const args = [join(checkout, 'tools/token.mjs'), '--user', username, '--scope', scope, '--url', url];
  return execFileSync(process.execPath, args, { encoding: 'utf8' }).trim();
}

async function withDatabase(dataDir, database, work) {
  const { superuser } = JSON.parse(readFileSync(join(dataDir, 'secrets.json'), 'utf8'));
  const port = readFileSync(join(dataDir, 'postgres', 'settle.port'), 'utf8').trim();
  const client = new pg.Client(`postgresql://postgres:${superuser}@127.0.0.1:${port}/${database}`);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Removes expiry dates from tokens and keys, because later code must read this folder for years. */
async function expectTables(dataDir) {
  const tables = [];
  for (const database of DATABASES) {
    await withDatabase(dataDir, database, async (client) => {
      for (const statement of LAST_FOREVER[database] ?? []) await client.query(statement);
      for (const { table, query } of await tableQueries(client)) {
        const { rows } = await client.query(query);
        tables.push({ database, table, query, ...rows[0] });
      }
    });
  }
  return tables;
}

for (const shape of Object.keys(MAINS)) {
  const dataDir = mkdtempSync(join(tmpdir(), 'settle-existing-'));
  const product = await start(shape, dataDir);
  const made = await makePayments(product.url, (username, scope) => requestToken(product.url, username, scope));
  const seen = await observe(product.url, made.tokens);
  const tables = await expectTables(dataDir);
  await product.stop();
  const madeBy = execFileSync('git', ['-C', checkout, 'rev-parse', 'HEAD'], { encoding: 'utf8' }).trim();
  writeFileSync(
    join(target, `${name}-${shape}.json`),
    `${JSON.stringify({ madeBy, shape, ...made, seen, tables }, null, 1)}\n`,
  );
  const tar = execFileSync('tar', ['-C', dataDir, '--sort=name', '--owner=0', '--group=0', '-cf', '-', '.'], {
    maxBuffer: 2 ** 30,
  });
  const params = { [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_QUALITY]: 10 };
  const packed = brotliCompressSync(tar, { params });
  writeFileSync(join(target, `${name}-${shape}.tar.br`), packed);
  process.stdout.write(`${name}-${shape}: ${tar.length} bytes, packed ${packed.length}\n`);
  rmSync(dataDir, { recursive: true });
}
