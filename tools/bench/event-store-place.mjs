import { randomUUID } from 'node:crypto';
import { EventStoreDBClient, NO_STREAM, jsonEvent } from '@eventstore/db-client';
import { EventStoreDbStandIn } from '@settle/testing';

/** Settings of a product that stores its events in PostgreSQL, whatever the environment says. */
export const IN_POSTGRES = { EVENT_STORE: 'postgres' };

/**
 * Returns the EventStoreDB of one product: the server at `EVENTSTORE_URL`, or a stand-in in a process of its own with the
 * timing of a server. `settings` make the product use it; `countAppends` answers null for a server, which does not tell.
 */
export async function openEventStoreDb(stops) {
  const url = process.env.EVENTSTORE_URL ?? '';
  const placeAt = (address) => ({ EVENT_STORE: 'eventstoredb', EVENTSTORE_URL: address });
  if (url !== '') return { url, isStandIn: false, settings: placeAt(url), countAppends: async () => null };
  const standIn = await EventStoreDbStandIn.start();
  stops.push(() => standIn.stop());
  await standIn.fail({ isServerTimed: true });
  const countAppends = async () => (await standIn.state()).appends;
  return { url: standIn.url, isStandIn: true, settings: placeAt(standIn.url), countAppends };
}

/** An event about as large as those of a payment. */
const buildEvent = () => jsonEvent({ id: randomUUID(), type: 'Measured', data: { padding: 'x'.repeat(250) } });

/** Returns how many appends to new streams the client library alone does a second, with so many in flight. */
export async function measureBareAppends({ url, inFlight, seconds }) {
  const client = EventStoreDBClient.connectionString(url);
  const append = () => client.appendToStream(`bench-${randomUUID()}`, [buildEvent()], { expectedRevision: NO_STREAM });
  try {
    await append();
    const beganAtMs = performance.now();
    const endsAtMs = beganAtMs + seconds * 1_000;
    let appends = 0;
    const appendInTurn = async () => {
      while (performance.now() < endsAtMs) {
        await append();
        appends += 1;
      }
    };
    await Promise.all(Array.from({ length: inFlight }, appendInTurn));
    return appends / ((performance.now() - beganAtMs) / 1_000);
  } finally {
    await client.dispose();
  }
}
