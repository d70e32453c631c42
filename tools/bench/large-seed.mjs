import { randomUUID } from 'node:crypto';
import { DEMO_APP, derivePaymentId } from '@settle/contracts';
import { PostgresEventStore } from '@settle/event-store';
import { buildPaymentCreated } from '../../apps/payments-service/dist/commands/build-payment-created.js';
import { Deposits } from '../../apps/payments-service/dist/commands/deposits.js';
import {
  NO_HISTORY,
  TransferProgress,
  emptyWallet,
} from '../../apps/payments-service/dist/transfer/transfer-progress.js';
import { WalletCache } from '../../apps/payments-service/dist/transfer/wallet-cache.js';
import { eachOf } from './seed.mjs';

/** Below the units that may wait in the event store, and few enough that none waits too long. */
const IN_FLIGHT = 1_000;
const FUNDS_CENTS = 10_000_000;
/** Shorter than payments live that no user answers. */
const SPAN_MS = 20 * 86_400_000;
/** One in so many is a charge that waits for an answer. */
const CHARGE_EVERY = 50;
const NO_FEE = { feeBps: 0, feeFixedCents: 0 };

/** The facts that `buildPaymentCreated` needs of users who exist and are strangers to each other. */
const user = (id) => ({ card: { id }, isFrozen: false, isBusiness: false, defaultAudience: 'private' });
const strangers = { findTwo: async (one, other) => ({ one: user(one), other: user(other), pair: null }) };

/**
 * Opens the event store of the product and appends to it what the product would have, by the product's own code: the same
 * ids, fields and statements, and none of the work around them. Returns functions that do it.
 */
export async function openSeeder(url) {
  const store = await PostgresEventStore.open({ url });
  const wallets = new WalletCache(store, { remembersSteps: false, emptyWallet: emptyWallet(0) });
  const tails = new Map();
  return {
    close: () => store.close(),
    /** Adds money to the wallets of users. */
    async fund(userIds) {
      const deposits = new Deposits(store, wallets);
      await eachOf(userIds, IN_FLIGHT, async (userId) => {
        const command = { commandId: randomUUID(), userId, amountCents: FUNDS_CENTS };
        await deposits.add(command, 'bench', (Date.now() - SPAN_MS) * 1_000);
        tails.set(userId, (await wallets.readNewest(userId)).tail);
      });
    },
    /** Appends payments among these users, spread over the last days. Returns the number of events. */
    async pay(userIds, count) {
      let events = 0;
      const startMs = Date.now() - SPAN_MS;
      const numbers = Array.from({ length: count }, (_, number) => number);
      await eachOf(numbers, IN_FLIGHT, async (number) => {
        const atMs = Math.floor(startMs + (SPAN_MS * number) / count);
        const unit = await unitOf({ tails, userIds, atMs, isCharge: number % CHARGE_EVERY === 0 });
        for (const { events: added } of unit) events += added.length;
        await store.append(unit);
      });
      return events;
    },
  };
}

/** Decides a payment as the product does; its wallets are in their newest decided state. */
async function unitOf({ tails, userIds, atMs, isCharge }) {
  const draw = () => userIds[Math.floor(Math.random() * userIds.length)];
  const actorId = draw();
  let target = draw();
  while (target === actorId) target = draw();
  const commandId = randomUUID();
  const command = {
    ...{ commandId, actorId, action: isCharge ? 'charge' : 'pay', amountCents: 1, note: 'bench', audience: 'private' },
    ...{ target: { type: 'user', value: target }, medium: 'api', appId: DEMO_APP.clientId, environment: 'live' },
  };
  const atUs = atMs * 1_000;
  const { created } = await buildPaymentCreated(command, strangers, { fee: NO_FEE, atUs });
  // From here to the append nothing is awaited: other payments decide on the same wallets.
  const own = new Map([actorId, target].map((userId) => [userId, tails.get(userId)]));
  const progress = new TransferProgress(derivePaymentId(atMs, commandId), { ...NO_HISTORY, tails: own });
  progress.apply({ kind: 'payment', event: created });
  progress.advance({ sourceIdOf: () => null, atUs, usesProvider: false });
  for (const [userId, tail] of progress.changedTails()) tails.set(userId, tail);
  return progress.unit;
}
