import { LIMITS } from '@settle/config';
import { Clock } from '../storage/clock.js';
import { storeOf } from '../storage/environments.js';
import { runFundingOrder } from './funding/run-funding-order.js';
import { readFundingOrder } from './funding/funding-arguments.js';
import { runCommand, say } from './run-command.js';

const { outcomeWaitMs } = LIMITS.operators;

await runCommand('funding', async ({ settings, store, openPool }) => {
  const order = readFundingOrder(process.argv.slice(2));
  const place = {
    settings,
    store: storeOf('live', store),
    pool: openPool('live'),
    clock: new Clock(),
    say,
    outcomeWaitMs,
  };
  return runFundingOrder(place, order);
});
