import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { residentBytes } from './cpu.mjs';
import { databaseUrl } from './seed.mjs';

const SAMPLE_EVERY_MS = 200;

const programOf = (command) =>
  fileURLToPath(new URL(`../../apps/payments-service/dist/operators/${command}-command.js`, import.meta.url));

/**
 * Runs a command of operators, such as `projections rebuild all`, against the product's database. Answers its seconds and
 * the most memory that it held, null where the system does not tell; throws unless it found everything in order.
 */
export async function runOperators({ adminUrl, command, args }) {
  const url = databaseUrl(adminUrl, 'settle_payments');
  const env = { ...process.env, NODE_ENV: 'development', DATABASE_URL: url, MIGRATIONS_DATABASE_URL: url };
  const startedAtMs = performance.now();
  const child = spawn(process.execPath, [programOf(command), ...args], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  child.stdout.on('data', (chunk) => (printed = (printed + chunk).slice(-10_000)));
  let memoryBytes = null;
  const timer = setInterval(() => {
    try {
      memoryBytes = Math.max(memoryBytes ?? 0, residentBytes(child.pid) ?? 0) || null;
    } catch {
      // It has just ended.
    }
  }, SAMPLE_EVERY_MS);
  const [code] = await once(child, 'exit');
  clearInterval(timer);
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with code ${code}:\n${printed}`);
  return { seconds: (performance.now() - startedAtMs) / 1_000, memoryBytes };
}
