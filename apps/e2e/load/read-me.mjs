/**
 * `BASE_URL=… TOKEN=… node read-me.mjs <reads per second>` reads `/me` at a constant rate, whether or not earlier reads
 * are answered, until standard input ends. Then it prints the milliseconds that each read took and what went wrong, as
 * JSON. It is a process of its own: beside an attack in the same event loop it would measure the attacker.
 */
const READ_TIMEOUT_MS = 20_000;
const TICK_MS = 5;

const { BASE_URL, TOKEN } = process.env;
const perSecond = Number(process.argv[2]);
const tookMs = [];
const failures = [];
const underWay = new Set();
const beganAtMs = performance.now();
let begun = 0;

async function read() {
  const readAtMs = performance.now();
  const headers = { authorization: `Bearer ${TOKEN}` };
  const response = await fetch(`${BASE_URL}/me`, { headers, signal: AbortSignal.timeout(READ_TIMEOUT_MS) });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${response.status} ${text}`);
  tookMs.push(performance.now() - readAtMs);
}

const timer = setInterval(() => {
  const due = Math.floor(((performance.now() - beganAtMs) * perSecond) / 1_000);
  for (; begun < due; begun += 1) {
    const one = read()
      .catch((error) => failures.push(String(error.cause ?? error)))
      .finally(() => underWay.delete(one));
    underWay.add(one);
  }
}, TICK_MS);

process.stdin.resume().once('end', async () => {
  clearInterval(timer);
  await Promise.all(underWay);
  process.stdout.write(JSON.stringify({ tookMs, failures }));
});
