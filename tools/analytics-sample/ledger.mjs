import 'reflect-metadata';
import { readSettings } from '@settle/config';
import { derivePaymentId } from '@settle/contracts';
import { PostgresEventStore } from '@settle/event-store';
import { InMemoryBus } from '@settle/messaging';
import { createLogger } from '@settle/observability';
import { migrateSchema, prepareServiceDatabase, startEmbeddedPostgres } from '@settle/postgres';
import { claimOf } from './people.mjs';
import { expiryAction } from '../../apps/payments-service/dist/commands/payment-actions.js';
import { PaymentTexts } from '../../apps/payments-service/dist/data-keys/payment-texts.js';
import { Ledgers } from '../../apps/payments-service/dist/ledger/ledgers.js';
import { PaymentsCommands } from '../../apps/payments-service/dist/messages/payments-commands.controller.js';
import { exportTopic } from '../../apps/payments-service/dist/operators/export-topic.js';
import { PAYMENTS_SCHEMA } from '../../apps/payments-service/dist/payments-schema.js';
import { PUBLISHED_TOPICS } from '../../apps/payments-service/dist/public-events/published-topics.js';
import { PROJECTIONS } from '../../apps/payments-service/dist/read-models/registry.js';
import { openPools } from '../../apps/payments-service/dist/storage/open-pools.js';

export const EXPIRY_DAYS = 30;
const EXPIRY_US = EXPIRY_DAYS * 86_400_000_000;
/** The users of the sample have no limits. */
const SETTINGS = { NODE_ENV: 'test', RATE_LIMITS: 'off', FEE_BPS: '100' };
const LIVE = { environment: 'live', beginBeforeMs: Number.MAX_SAFE_INTEGER };

const quiet = { info() {}, warn() {}, error() {} };

/** Sources without a provider: the id decides the response. */
const cards = {
  charge: async (_key, { sourceId }) => (sourceId.startsWith('declined') ? 'declined' : 'approved'),
  repay: async () => 'approved',
};

/**
 * Opens the ledger of payments-service on a PostgreSQL of its own, at a time that the caller moves. Nothing in it happens by
 * itself, so that the same calls lead to the same events.
 * @param random of which the ids of commands are drawn
 * @returns {Promise<{ readonly exportAll: () => Promise<readonly { line: string }[]>, readonly close: () => Promise<void> }>}
 */
export async function openLedger({ dataDir, random }) {
  const server = await startEmbeddedPostgres({ dataDir, logger: quiet });
  const url = await prepareServiceDatabase({ adminUrl: server.adminUrl, name: 'sample', password: 'sample' });
  await migrateSchema(PAYMENTS_SCHEMA, url);
  const pools = openPools(url, PROJECTIONS.length);
  const store = await PostgresEventStore.open({ url });
  const logger = createLogger({ level: 'warn', service: 'sample' });
  let nowMs = 0;
  const ledgers = new Ledgers({
    bus: new InMemoryBus({ logger }),
    settings: readSettings(SETTINGS),
    ...{ store, pools, funding: cards, provider: null, logger, isOnlyInstance: true },
    texts: new PaymentTexts(null, pools.live.pool),
    // The same time for all that follows a move: a clock that advances would depend on how often the projector looks at it.
    clock: { nowUs: () => nowMs * 1_000 },
  });
  const commands = new PaymentsCommands(ledgers);
  const { live } = ledgers;
  await live.projector.start();
  return {
    /** Sets the time of what follows. @param ms milliseconds since 1970 */
    moveTo: (ms) => (nowMs = ms),
    save: (...records) => ledgers.users.save(records),
    async deposit(userId, amountCents) {
      const command = { commandId: random.uuid(), userId, amountCents };
      await live.projectionWaiter.awaitProjection(await live.deposits.add(command, 'test-bank', live.clock.nowUs()));
    },
    /** Resolves with the payment. */
    async create(terms) {
      const commandId = random.uuid();
      const paymentId = derivePaymentId(nowMs, commandId);
      return (await commands.create({ ...LIVE, note: 'sample', ...terms, commandId, paymentId })).payment;
    },
    act: (paymentId, action, actorId, appId) =>
      commands.act({ ...LIVE, commandId: random.uuid(), paymentId, action, actorId, appId }),
    claim: (user) => live.worker.claim([claimOf(user)]),
    expire: (paymentId) => live.transfers.advance(paymentId, expiryAction(null, EXPIRY_US, live.clock.nowUs())),
    /** Returns the lines of all exports, in the order of their positions. */
    async exportAll() {
      const lines = [];
      const write = async (text) => void lines.push(...text.split('\n').filter((line) => line !== ''));
      for (const published of PUBLISHED_TOPICS)
        await exportTopic({ store, pool: pools.live.pool, write }, { published, from: 0 });
      const positionOf = (line) => JSON.parse(line).position;
      return lines
        .map((line) => ({ line, position: positionOf(line) }))
        .toSorted((one, other) => one.position - other.position);
    },
    async close() {
      await ledgers.stop();
      await store.close();
      for (const each of Object.values(pools)) await Promise.all([each.projectionPool.end(), each.pool.end()]);
      await server.stop();
    },
  };
}
