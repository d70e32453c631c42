import { execFile, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import autocannon from 'autocannon';

const SCRIPT = fileURLToPath(new URL('payments.lua', import.meta.url));
const REQUESTS_PER_CONNECTION = 500;
const run = promisify(execFile);

/** wrk costs a tenth of the CPU of a generator in JavaScript, and it shares the cores with what is measured. */
export const hasWrk = spawnSync('wrk', ['--version']).error === undefined;

export const generatorName = hasWrk ? 'wrk' : 'autocannon';

/**
 * A load generator over these wallets. `load({ mode, path, payers, payees, inFlight, seconds })` runs it; payers and
 * payees are `[from, to)` of the wallets, `mode` is `pay` or `get` (then `path`). Answers requests per second and
 * percentiles in milliseconds; throws when anything was refused or broken, since then nothing was measured.
 * With `payeeOffset` each payer always pays the payee that stands so many places after it, otherwise a payee by chance.
 * With `perSecond` the requests come at that rate, by chance over time, from `inFlight` connections that mostly wait.
 * With `overload` (`patient`: callers wait out Retry-After; `rude`: they do not) refusals are no failure but counted
 * as `served`, `turnedAway` (503) and `other`; wrk only.
 */
export function createLoad({ url, wallets, dir }) {
  const file = join(dir, 'wallets.txt');
  writeFileSync(file, wallets.map(({ token, id }) => `${token} ${id}\n`).join(''), { mode: 0o600 });
  let runs = 0;
  return async (plan) => {
    runs += 1;
    const measured = hasWrk
      ? await byWrk({ url, file, seed: runs, ...plan })
      : await byAutocannon({ url, wallets, ...plan });
    const isRefused = plan.overload === undefined && measured.refused > 0;
    if (isRefused || measured.broken > 0 || measured.requests === 0) {
      throw new Error(`The load was not served as it should: ${JSON.stringify({ plan, measured })}`);
    }
    return { ...measured, perSecond: measured.requests / measured.seconds };
  };
}

async function byWrk({
  url,
  file,
  seed,
  mode,
  path = '',
  payers,
  payees,
  payeeOffset = 0,
  inFlight,
  perSecond = 0,
  seconds,
  overload = '',
}) {
  const args = ['-t1', `-c${inFlight}`, `-d${seconds}s`, '--timeout', '10s', '-s', SCRIPT, url];
  const env = {
    ...process.env,
    BENCH_MODE: mode,
    BENCH_PATH: path,
    BENCH_SEED: String(seed),
    BENCH_OVERLOAD: overload,
    BENCH_PAUSE_MS: String(perSecond === 0 ? 0 : (inFlight / perSecond) * 1_000),
    BENCH_WALLETS: file,
    BENCH_PAYERS: payers.join('-'),
    BENCH_PAYEES: payees.join('-'),
    BENCH_PAYEE_OFFSET: String(payeeOffset),
  };
  const { stdout } = await run('wrk', args, { env });
  return JSON.parse(/^RESULT (.*)$/m.exec(stdout)?.[1] ?? '{"requests":0}');
}

const drawIndex = (list) => Math.floor(Math.random() * list.length);

function requestsOf({ wallets, mode, path, payers, payees, payeeOffset = 0 }) {
  const from = wallets.slice(...payers);
  const to = wallets.slice(...payees);
  return Array.from({ length: REQUESTS_PER_CONNECTION }, () => {
    const at = drawIndex(from);
    const payer = from[at];
    const headers = { authorization: `Bearer ${payer.token}` };
    if (mode !== 'pay') return { method: 'GET', path, headers };
    let payee = to[payeeOffset > 0 ? (at + payeeOffset) % to.length : drawIndex(to)];
    while (payee.id === payer.id) payee = to[drawIndex(to)];
    const body = new URLSearchParams({ user_id: payee.id, note: 'bench', amount: '0.01', audience: 'private' });
    headers['content-type'] = 'application/x-www-form-urlencoded';
    return { method: 'POST', path: '/v1/payments', headers, body: body.toString() };
  });
}

async function byAutocannon({ url, inFlight, perSecond = 0, seconds, ...plan }) {
  const timesMs = [];
  const result = await new Promise((resolve, reject) => {
    const instance = autocannon(
      {
        url,
        connections: inFlight,
        duration: seconds,
        ...(perSecond === 0 ? {} : { overallRate: Math.round(perSecond) }),
        setupClient: (client) => client.setRequests(requestsOf(plan)),
      },
      (error, done) => (error ? reject(error) : resolve(done)),
    );
    instance.on('response', (_client, _status, _bytes, timeMs) => timesMs.push(timeMs));
  });
  timesMs.sort((a, b) => a - b);
  const percentile = (part) => timesMs[Math.min(timesMs.length - 1, Math.floor(timesMs.length * part))];
  return {
    requests: result.requests.total,
    seconds: result.duration,
    refused: result.non2xx,
    broken: result.errors + result.timeouts,
    p50Ms: percentile(0.5),
    p95Ms: percentile(0.95),
    p99Ms: percentile(0.99),
  };
}
