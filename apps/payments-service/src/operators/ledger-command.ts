import { parseArgs } from 'node:util';
import type { Environment } from '@settle/contracts';
import { raisePublicEventEpoch } from '../public-events/public-event-epoch.js';
import { PUBLISHED_TOPICS } from '../public-events/published-topics.js';
import { OpenedLog } from '../data-keys/opened-log.js';
import { Findings } from './findings.js';
import { snapshotsOf } from './snapshots.js';
import { verifyLedger } from './verify-ledger.js';
import { verifyTopics } from './verify-topics.js';
import { acquireMaintenanceLock } from './maintenance-lock.js';
import { wholeLogOf } from './replay.js';
import { DONE, FOUND, runCommand, say, type CommandPlace } from './run-command.js';

const USAGE = '"npm run ledger -- verify" or "npm run ledger -- republish"';

/**
 * Verifies that every cent is accounted for and that read models and published events match the ledger's events. Reads
 * only, and may run while money moves.
 */
async function verify(
  { settings, store, openPool, openTexts }: CommandPlace,
  environment: Environment,
): Promise<number> {
  const log = new OpenedLog(wholeLogOf(environment, store), await openTexts());
  const common = { findings: new Findings(), say };
  if (environment === 'sandbox') say('the sandbox:');
  const client = await acquireMaintenanceLock(openPool(environment), 'shared');
  try {
    const atOneMoment = snapshotsOf(client);
    const sums = await verifyLedger({ ...common, store: log, client, atOneMoment });
    const { position, events, payments, wallets } = sums;
    say(`up to position ${position}: ${events} events, ${payments} payments, ${wallets} wallets`);
    const { walletCents, transitCents, payoutCents, feeCents, fundingCents } = sums;
    const payouts = payoutCents === 0 ? '' : `${payoutCents} in payouts, `;
    say(
      `cents: ${walletCents} in wallets, ${transitCents} in transit, ${payouts}${feeCents} of fees, ${fundingCents} funded`,
    );
    if (environment === 'sandbox') say('topic: none, the sandbox is not published');
    else if (settings.kafka.brokers.length === 0) say('topic: not looked at, no Kafka is named');
    else {
      const records = await verifyTopics({ ...common, settings, store, client }, PUBLISHED_TOPICS);
      say(records === null ? 'topic: this ledger publishes nothing' : `topic: ${records} records`);
    }
  } finally {
    client.release(true);
  }
  const list = common.findings.list();
  for (const { kind, differences, first } of list) {
    say(first === null ? `${kind}: in order` : `${kind}: ${differences} differences, the first: ${first}`);
  }
  return list.some(({ first }) => first !== null) ? FOUND : DONE;
}

/** For a ledger that was restored without `npm run restore`, or that has lost events which its topic has. */
async function republish({ openPool }: CommandPlace): Promise<number> {
  const epoch = await raisePublicEventEpoch(openPool('live'));
  say(`the topics of public events are to be emptied and filled under epoch ${epoch}, or above`);
  say('restart payments-service: the instance that publishes next does it');
  return DONE;
}

await runCommand('ledger', async (place) => {
  const { positionals } = parseArgs({ allowPositionals: true });
  const action = positionals.join(' ');
  if (action === 'republish') return republish(place);
  if (action !== 'verify') throw new Error(`"${action}" is not understood. Write ${USAGE}`);
  return Math.max(await verify(place, 'live'), await verify(place, 'sandbox'));
});
