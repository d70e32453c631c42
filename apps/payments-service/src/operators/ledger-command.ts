import { parseArgs } from 'node:util';
import { LIMITS, type Settings } from '@settle/config';
import { TOPICS, type Environment } from '@settle/contracts';
import { kafkaAddress, readWholeTopic } from '@settle/messaging';
import { createLogger } from '@settle/observability';
import { createPool } from '@settle/postgres';
import { ENVIRONMENT_STORAGE } from '../storage/environments.js';
import { raisePublicEventEpoch } from '../public-events/public-event-epoch.js';
import { Findings } from './findings.js';
import { momentsOf } from './one-moment.js';
import { verifyLedger } from './verify-ledger.js';
import { verifyTopic, type ReadTopic } from './verify-topic.js';
import { beAtWork } from './at-work.js';
import { wholeLogIn } from './gated-log.js';
import { DONE, FOUND, runCommand, say, seldom, type CommandPlace } from './run-command.js';

const { poolConnections, statementMs, silenceMs } = LIMITS.operators;

const USAGE = '"npm run ledger -- verify" or "npm run ledger -- republish"';

function readTopicOf(settings: Settings): ReadTopic {
  const logger = createLogger({ level: 'error', service: 'ledger' });
  const place = { address: kafkaAddress(settings.kafka), topicPrefix: settings.kafka.topicPrefix, logger, silenceMs };
  return (onCount, take) => readWholeTopic({ ...place, topic: TOPICS.paymentsEvents, onCount, take });
}

/**
 * Is every cent accounted for, and are read models and published events what the events of the ledger say? Reads only,
 * and may run while money moves.
 */
async function verify(place: CommandPlace, environment: Environment): Promise<number> {
  const { settings, databaseUrl } = place;
  const store = wholeLogIn(environment, place.store);
  const findings = new Findings();
  const tell = seldom(say);
  if (environment === 'sandbox') say('the sandbox:');
  const pool = createPool(databaseUrl, {
    max: poolConnections,
    name: 'payments-verify',
    schemas: [ENVIRONMENT_STORAGE[environment].schema],
    statementTimeoutMs: statementMs,
  });
  const working = await beAtWork(pool, 'reading').catch((error: unknown) =>
    pool.end().then(() => Promise.reject(error)),
  );
  const client = await pool.connect();
  try {
    const sums = await verifyLedger({ store, client, atOneMoment: momentsOf(client), findings, say: tell });
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
        say: tell,
        readTopic: readTopicOf(settings),
      });
      say(records === null ? 'topic: this ledger publishes nothing' : `topic: ${records} records`);
    }
  } finally {
    client.release(true);
    working.release(true);
    await pool.end();
  }
  return tellOf(findings);
}

function tellOf(findings: Findings): number {
  const list = findings.list();
  for (const { kind, differences, first } of list) {
    say(first === null ? `${kind}: in order` : `${kind}: ${differences} differences, the first: ${first}`);
  }
  return list.some(({ first }) => first !== null) ? FOUND : DONE;
}

/** For a ledger that was restored without the command that restores, or has lost what its topic tells of. */
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
  const asked = positionals.join(' ');
  if (asked === 'republish') return republish(place);
  if (asked !== 'verify') throw new Error(`"${asked}" is not understood. Write ${USAGE}`);
  const ends = [await verify(place, 'live'), await verify(place, 'sandbox')];
  return ends.includes(FOUND) ? FOUND : DONE;
});
