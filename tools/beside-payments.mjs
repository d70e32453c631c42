/** Runs a command of payments-service's own beside the Settle that runs on this machine: `projections`, `ledger`, `funding`, `events` or `data-keys`. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const [command, ...args] = process.argv.slice(2);
const program = fileURLToPath(
  new URL(`../apps/payments-service/dist/operators/${command}-command.js`, import.meta.url),
);

try {
  const { environmentBeside } = await import('@settle/launching');
  // Schemas are published without a Settle, too.
  const isBeside = args[0] !== 'publish-schemas';
  const env = isBeside ? await environmentBeside('payments', process.env) : process.env;
  const child = spawn(process.execPath, [program, ...args], { env, stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code) => (process.exitCode = code ?? 2));
} catch (error) {
  const reason = error.code === 'ERR_MODULE_NOT_FOUND' ? 'run `npm start` first, which builds it' : error.message;
  process.stderr.write(`${command}: ${reason}\n`);
  process.exitCode = 2;
}
