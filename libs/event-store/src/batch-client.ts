import { EventStoreDBClient } from '@eventstore/db-client';

/** What the client library keeps to itself, in the one version that this is written for. */
interface Internals {
  /** Asks the server what it can do, and finds the server first. The first append waits for it. */
  readonly capabilities: Promise<unknown>;
  /** Opens calls. */
  GRPCStreamCreator: () => () => Promise<never>;
}

const getInternals = (client: EventStoreDBClient) => client as unknown as Internals;

/** Lets whatever was begun in this turn open its call. */
const yieldToEventLoop = () => new Promise<void>((resolve) => setImmediate(resolve));

/**
 * Resolves when the client can append without asking for anything first. An append that waits for an answer to such a
 * question cannot be called back: it would go out whenever the answer comes.
 */
export async function waitUntilReady(client: EventStoreDBClient): Promise<void> {
  await getInternals(client).capabilities;
}

/** Ends the client's calls, what waits for an answer fails, and it never opens another. */
export async function retireClient(client: EventStoreDBClient): Promise<void> {
  await yieldToEventLoop();
  getInternals(client).GRPCStreamCreator = () => async () => {
    throw new Error('The client is retired');
  };
  await client.dispose();
}
