import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { TOPICS } from '@settle/contracts';
import { startKafka } from '@settle/local-kafka';
import { createLoad } from './load.mjs';
import { asAdmin, startServer, startStack } from './product.mjs';
import { say } from './rounds.mjs';
import { seedWallets } from './seed.mjs';

const WALLETS = 200;
const POLL_MS = 100;
const PUBLISHED = `select checkpoint_position('${TOPICS.paymentsEvents}') >= max(position) as "isDone",
  count(*) filter (where revision = 0) as payments from events where stream ^@ 'payment-'`;

/** Bytes of the topic's records in the folder of a broker. */
function bytesIn(folder) {
  return readdirSync(folder, { recursive: true })
    .filter((name) => name.includes(`${TOPICS.paymentsEvents}-`) && name.endsWith('.log'))
    .reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}

/**
 * Bytes that a payment takes on the topic of public events, after some seconds of load on the distributed shape; null where
 * no broker can be started.
 */
export async function measureTopic({ dataDir, stops, seconds }) {
  const folder = join(dataDir, 'broker');
  const kafka = await startKafka({ dataDir: folder, port: null, isForLong: true }).catch((error) => {
    say(`No broker: ${error.message}`);
    return null;
  });
  if (kafka === null) return null;
  stops.push(() => kafka.stop());
  const server = await startServer(dataDir);
  stops.push(() => server.stop());
  const { adminUrl } = server;
  const parts = { dataDir: join(dataDir, 'stack'), adminUrl, brokers: kafka.brokers, profileDir: null };
  const stack = await startStack(parts);
  stops.push(() => stack.stop());
  const wallets = await seedWallets({ adminUrl, url: stack.url, count: WALLETS });
  const load = createLoad({ url: stack.url, wallets, dir: dataDir });
  const all = [0, WALLETS];
  await load({ mode: 'pay', payers: all, payees: all, inFlight: 64, seconds });
  for (;;) {
    const { rows } = await asAdmin(adminUrl, (client) => client.query(PUBLISHED), 'settle_payments');
    if (rows[0].isDone) return bytesIn(folder) / Number(rows[0].payments);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
