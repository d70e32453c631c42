/** Takes a backup of the Settle of this machine, while it serves or not. `npm run backup -- --to <folder>`. */
import { readFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { parseArgs } from 'node:util';

const USAGE = `npm run backup -- [--to <folder>]
       npm run backup -- --complete <folder>   # adds the rest to what pg_basebackup copied into <folder>/postgres`;
/** Payments come first. */
const PRIORITY = 10;

function readOrder() {
  const text = { type: 'string' };
  const { values, positionals } = parseArgs({ options: { to: text, complete: text }, allowPositionals: true });
  const isRead = positionals.length === 0 && (values.to === undefined || values.complete === undefined);
  if (!isRead) throw new Error(`That is not understood. Write ${USAGE}`);
  return { to: values.complete ?? values.to ?? null, isCopied: values.complete !== undefined };
}

try {
  const order = readOrder();
  const { backUp } = await import('@settle/launching');
  setPriority(PRIORITY);
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const say = (line) => process.stdout.write(`${line}\n`);
  await backUp({ ...order, env: process.env, settleVersion: version, say });
} catch (error) {
  const reason = error.code === 'ERR_MODULE_NOT_FOUND' ? 'run `npm start` first, which builds it' : error.message;
  process.stderr.write(`backup: ${reason}\n`);
  process.exitCode = 1;
}
