/** Restores a backup into a data folder without databases. `npm run restore -- <backup>`. */
import { parseArgs } from 'node:util';

const USAGE = `npm run restore -- <backup> [--end-sessions] [--accept-differences]
       npm run restore -- --finish [<backup>] [--end-sessions] [--accept-differences]   # once a PostgreSQL of your own is restored, before Settle starts`;

function readOrder() {
  const flag = { type: 'boolean', default: false };
  const options = { finish: flag, 'end-sessions': flag, 'accept-differences': flag };
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const [from = null, ...more] = positionals;
  if (more.length > 0 || (from === null && !values.finish)) throw new Error(`Which backup? Write ${USAGE}`);
  const [endsSessions, acceptsDifferences] = [values['end-sessions'], values['accept-differences']];
  return { from, isFinish: values.finish, endsSessions, acceptsDifferences };
}

try {
  const { isFinish, ...order } = readOrder();
  const { finishOwnRestore, restore } = await import('@settle/launching');
  const say = (line) => process.stdout.write(`${line}\n`);
  await (isFinish ? finishOwnRestore : restore)({ ...order, env: process.env, say });
} catch (error) {
  const reason = error.code === 'ERR_MODULE_NOT_FOUND' ? 'run `npm start` first, which builds it' : error.message;
  process.stderr.write(`restore: ${reason}\n`);
  process.exitCode = 1;
}
