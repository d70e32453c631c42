import { parseArgs } from 'node:util';
import { LIMITS, type Settings } from '@settle/config';
import { TOPICS, type Environment } from '@settle/contracts';
import { toKafkaAddress, readWholeTopic } from '@settle/messaging';
import { createLogger } from '@settle/observability';
import { createPool } from '@settle/postgres';
import { ENVIRONMENT_STORAGE } from '../storage/environments.js';
import { raisePublicEventEpoch } from '../public-events/public-event-epoch.js';
import { Findings } from './findings.js';
import { snapshotsOf } from './snapshots.js';
import { verifyLedger } from './verify-ledger.js';
import { verifyTopic, type ReadTopic } from './verify-topic.js';
import { acquireMaintenanceLock } from './maintenance-lock.js';
import { wholeLogOf } from './bounded-log-reader.js';
import { DONE, FOUND, runCommand, say, seldom, type CommandPlace } from './run-command.js';

const { poolConnections, statementMs, silenceMs } = LIMITS.operators;

const USAGE = '"npm run ledger -- verify" or "npm run ledger -- republish"';

function readTopicOf(settings: Settings): ReadTopic {
  const logger = createLogger({ level: 'error', service: 'ledger' });
  const place = { address: toKafkaAddress(settings.kafka), topicPrefix: settings.kafka.topicPrefix, logger, silenceMs };
  return (onCount, take) => readWholeTopic({ ...place, topic: TOPICS.paymentsEvents, onCount, take });
}

/**
 * Verifies that every cent is accounted for and that read models and published events match the ledger's events. Reads
 * only, and may run while money moves.
 */
async function verify(place: CommandPlace, environment: Environment): Promise<number> {
  const { settings, databaseUrl } = place;
  const store = wholeLogOf(environment, place.store);
  const findings = new Findings();
  const progress = seldom(say);
  if (environment === 'sandbox') say('the sandbox:');
  const pool = createPool(databaseUrl, {
    max: poolConnections,
    name: 'payments-verify',
    schemas: [ENVIRONMENT_STORAGE[environment].schema],
    statementTimeoutMs: statementMs,
  });
  const lock = await acquireMaintenanceLock(pool, 'shared').catch((error: unknown) =>
    pool.end().then(() => Promise.reject(error)),
  );
  const client = await pool.connect();
  try {
    const sums = await verifyLedger({ store, client, atOneMoment: snapshotsOf(client), findings, say: progress });
    const { position, events, payments, wallets } = sums;
    say(`up to position ${position}: ${events} events, ${payments} payments, ${wallets} wallets`);
    const cents = [sums.walletCents, sums.transitCents, sums.feeCents, sums.fundingCents];
    say(`cents: ${cents[0]} in wallets, ${cents[1]} in transit, ${cents[2]} of fees, ${cents[3]} funded`);
    if (environment === 'sandbox') say('topic: none, the sandbox is not published');
    else if (settings.kafka.brokers.length === 0) say('topic: not looked at, no Kafka is named');
    else {
      const records = await verifyTopic({
        store: place.store,
        client,
        findings,
        say: progress,
        readTopic: readTopicOf(settings),
      });
      say(records === null ? 'topic: this ledger publishes nothing' : `topic: ${records} records`);
    }
  } finally {
    client.release(true);
    lock.release(true);
    await pool.end();
  }
  return report(findings);
}

function report(findings: Findings): number {
  const list = findings.list();
  for (const { kind, differences, first } of list) {
    say(first === null ? `${kind}: in order` : `${kind}: ${differences} differences, the first: ${first}`);
  }
  return list.some(({ first }) => first !== null) ? FOUND : DONE;
}

/** For a ledger that was restored without `npm run restore`, or that has lost events which its topic has. */
async function republish({ databaseUrl }: CommandPlace): Promise<number> {
  const pool = createPool(databaseUrl, { max: 1, name: 'payments-republish' });
  try {
    const epoch = await raisePublicEventEpoch(pool);
    say(`the topic ${TOPICS.paymentsEvents} is to be emptied and filled under epoch ${epoch}, or above`);
    say('restart payments-service: the instance that publishes next does it');
  } finally {
    await pool.end();
  }
  return DONE;
}

await runCommand('ledger', async (place) => {
  const { positionals } = parseArgs({ allowPositionals: true });
  const action = positionals.join(' ');
  if (action === 'republish') return republish(place);
  if (action !== 'verify') throw new Error(`"${action}" is not understood. Write ${USAGE}`);
  const ends = [await verify(place, 'live'), await verify(place, 'sandbox')];
  return ends.includes(FOUND) ? FOUND : DONE;
});
