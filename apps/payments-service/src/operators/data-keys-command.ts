import { parseArgs } from 'node:util';
import { SettingsError } from '@settle/config';
import { beginEncryption, createPaymentTexts } from '../data-keys/create-payment-texts.js';
import { rewrapDataKeys } from '../data-keys/rewrap.js';
import { WrappingKeys } from '../data-keys/wrapping-keys.js';
import { DONE, runCommand, say } from './run-command.js';

const USAGE = `npm run data-keys -- begin   encrypts notes and addresses from now on: no earlier version may run any more
       npm run data-keys -- rewrap  wraps every key with the first key of DATA_KEY`;

/** Keys of the notes and addresses in events. Exit codes: 0 done, 2 failed. */
await runCommand('data-keys', async ({ settings, openPool }) => {
  const { positionals } = parseArgs({ allowPositionals: true });
  const action = positionals.join(' ');
  if (action !== 'begin' && action !== 'rewrap')
    throw new Error(`"${action}" is not understood. Write\n       ${USAGE}`);
  const { dataKey } = settings;
  if (dataKey === null) throw new SettingsError(['DATA_KEY_FILE: it is needed here and not set']);
  const pool = openPool('live');
  // Each stored key can be unwrapped.
  await createPaymentTexts(settings, pool);
  if (action === 'begin') {
    await beginEncryption(pool);
    say('Notes and addresses are encrypted from now on, within some seconds in every process');
  } else {
    const wrapping = new WrappingKeys(dataKey);
    const wrapped = await rewrapDataKeys(pool, wrapping);
    say(`${wrapped} keys were wrapped anew, and all are wrapped with the key ${wrapping.newest}`);
  }
  return DONE;
});
