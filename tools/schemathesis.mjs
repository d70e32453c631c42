/**
 * `npm run test:schemathesis`: Schemathesis, with all of its checks, holds a product of its own against its OpenAPI
 * document: the wallet first, then the sandbox. What is given after `--` goes to Schemathesis, such as `--seed 1`.
 * Schemathesis is a program in Python: `SCHEMATHESIS` names it where it is not in `PATH`.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@settle/local-kafka';

const root = join(import.meta.dirname, '..');
const folder = join(import.meta.dirname, 'schemathesis');
const START_WAIT_MS = 120_000;
const STOP_WAIT_MS = 20_000;
const LOOK_EVERY_MS = 250;
const SCOPES =
  'make_payments access_profile access_balance access_email access_phone access_friends access_payment_history';

/** The program, in the version of `requirements.txt`; ends the process with what to do when there is none. */
async function schemathesis() {
  const program = process.env.SCHEMATHESIS ?? 'schemathesis';
  const [, pinned] = /^schemathesis==(\S+)$/m.exec(await readFile(join(folder, 'requirements.txt'), 'utf8'));
  const { stdout, error } = spawnSync(program, ['--version'], { encoding: 'utf8' });
  if (error === undefined && stdout.includes(pinned)) return program;
  const found = error === undefined ? `Found: ${stdout.trim()}.` : 'Schemathesis is not installed.';
  process.stderr.write(
    `${found} Version ${pinned} is needed: python3 -m venv .schemathesis && ` +
      '.schemathesis/bin/pip install -r tools/schemathesis/requirements.txt, and then ' +
      'SCHEMATHESIS=.schemathesis/bin/schemathesis npm run test:schemathesis\n',
  );
  process.exit(1);
}

async function untilAnswering(url, product) {
  const endsAtMs = Date.now() + START_WAIT_MS;
  while (Date.now() < endsAtMs && product.exitCode === null) {
    const response = await fetch(`${url}/openapi.json`).catch(() => null);
    if (response?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
  throw new Error(`The product did not answer on ${url}`);
}

async function stop(product) {
  if (product.exitCode !== null) return;
  const ended = new Promise((resolve) => product.once('exit', resolve));
  product.kill('SIGTERM');
  const timer = setTimeout(() => product.kill('SIGKILL'), STOP_WAIT_MS);
  await ended;
  clearTimeout(timer);
}

const program = await schemathesis();
const port = await freePort();
const url = `http://localhost:${port}`;
const dataDir = await mkdtemp(join(tmpdir(), 'settle-schemathesis-'));
const product = spawn(process.execPath, ['--max-semi-space-size=64', 'apps/all-in-one/dist/main.js'], {
  cwd: root,
  env: {
    ...process.env,
    HOST: '127.0.0.1',
    PORT: String(port),
    DATA_DIR: dataDir,
    RATE_LIMITS: 'off',
    LOG_LEVEL: 'warn',
  },
  stdio: ['ignore', 'ignore', 'inherit'],
});
try {
  await untilAnswering(url, product);
  const { requestToken } = await import('@settle/launching');
  const who = { username: 'alice', password: 'demo-password', scope: SCOPES };
  const ofSandbox = ['--url', `${url}/sandbox/v1`, '--include-tag', 'Users', '--include-tag', 'Payments'];
  for (const more of [[], ofSandbox]) {
    // A token lives 30 minutes: each run has its own, and one to give back.
    const newToken = () => requestToken(url, who);
    const tokens = { SETTLE_TOKEN: await newToken(), SETTLE_SPARE_TOKEN: await newToken() };
    const args = [
      '--config-file',
      'schemathesis.toml',
      'run',
      `${url}/openapi.json`,
      ...more,
      ...process.argv.slice(2),
    ];
    // Side by side with this process, which must see the product close connections that were idle for so long.
    const running = spawn(program, args, { cwd: folder, env: { ...process.env, ...tokens }, stdio: 'inherit' });
    const [status] = await once(running, 'exit');
    if (status !== 0) process.exitCode = 1;
  }
} finally {
  await stop(product);
  await rm(dataDir, { recursive: true, force: true });
}
