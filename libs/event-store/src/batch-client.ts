import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { EventStoreDBClient } from '@eventstore/db-client';

/** Private members of the client library, in the pinned version. */
interface Internals {
  /** Discovers the server and reads its capabilities. The first append waits for this. */
  readonly capabilities: Promise<unknown>;
  /** Starts calls. */
  GRPCStreamCreator: () => () => Promise<never>;
}

const getInternals = (client: EventStoreDBClient) => client as unknown as Internals;

/**
 * Resolves when the client can append without a request before. An append that waits for such a request cannot be
 * canceled: the library would send it whenever the response arrives.
 */
export async function waitUntilReady(client: EventStoreDBClient): Promise<void> {
  await getInternals(client).capabilities;
}

/** Ends the calls of the client, so that pending ones fail, and keeps it from starting others. */
export async function retireClient(client: EventStoreDBClient): Promise<void> {
  // Calls of this turn must start before.
  await yieldToEventLoop();
  getInternals(client).GRPCStreamCreator = () => async () => {
    throw new Error('The client is retired');
  };
  await client.dispose();
}
