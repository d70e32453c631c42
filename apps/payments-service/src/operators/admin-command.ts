import { parseArgs } from 'node:util';
import { SettingsError } from '@settle/config';
import { isId, readCloseCommand } from '@settle/contracts';
import { Clock } from '../storage/clock.js';
import { storeOf } from '../storage/environments.js';
import { closeAccount } from './closing/close-account.js';
import { DONE, FOUND, runCommand, say } from './run-command.js';
import { readTimeline, summarizePayment } from './timeline/payment-timeline.js';

const USAGE = `npm run admin -- timeline <payment> [--sandbox] tells what happened to a payment
       npm run admin -- find <payment> names its users`;

/**
 * The part of `npm run admin` that reads payments, and takes steps of closing an account. Exit codes: 0 found or done, 1
 * there is no such payment, 2 failed.
 */
await runCommand('admin', async ({ settings, store, openPool, openTexts }) => {
  if (process.argv[2] === 'close') {
    const command = readCloseCommand(process.argv.slice(2));
    // A process without the key does not see that an account is closed, and would show its notes.
    if (settings.dataKey === null) throw new SettingsError(['DATA_KEY_FILE: it is needed here and not set']);
    await openTexts();
    say(await closeAccount({ store, pool: openPool('live'), clock: new Clock() }, command));
    return DONE;
  }
  const { action, paymentId, environment } = readArguments(process.argv.slice(2));
  const usersPool = openPool('live');
  const pool = environment === 'live' ? usersPool : openPool(environment);
  const place = { store: storeOf(environment, store), pool, usersPool };
  const found =
    action === 'find' ? await summarizePayment(place, paymentId) : (await readTimeline(place, paymentId))?.join('\n');
  if (found !== null && found !== undefined) {
    say(found);
    return DONE;
  }
  process.stderr.write(`There is no payment ${paymentId}\n`);
  return FOUND;
});

/** Parses the command line. Errors: what is wrong, and the usage. */
function readArguments(args: readonly string[]) {
  const options = { sandbox: { type: 'boolean', default: false } } as const;
  const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
  const [action, paymentId = '', ...more] = positionals;
  if ((action !== 'find' && action !== 'timeline') || more.length > 0) {
    throw new Error(`"${positionals.join(' ')}" is not understood. Usage:\n       ${USAGE}`);
  }
  if (!isId(paymentId)) throw new Error(`"${paymentId}" is no id of a payment. Usage:\n       ${USAGE}`);
  return { action, paymentId, environment: values.sandbox ? ('sandbox' as const) : ('live' as const) };
}
