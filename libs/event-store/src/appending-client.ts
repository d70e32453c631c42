import { newestSecret } from '@settle/config';
import { randomUUID } from 'node:crypto';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { EventStoreDBClient, jsonEvent, type Position } from '@eventstore/db-client';
import { Semaphore, withTimeout } from '@settle/concurrency';
import { awaitResponse, isConflict, isPermanent, isServerResponse, NotSent } from './eventstoredb-errors.js';
import { NO_STREAM, type NewEvent, type StreamAppend } from './event-store.js';
import type { EventStoreDbLimits } from './limits.js';

/** An append that is ready to send; retries send it unchanged. */
export interface PreparedAppend extends StreamAppend {
  /**
   * Ids of the events on the server, generated for each `append` of a unit. With them the server recognizes retries of
   * this append only, so a response "stored" means that this append has stored the events. The ids of the writer are in
   * the metadata.
   */
  readonly eventIds: readonly string[];
  readonly byteBound: number;
}

/** Bound on the bytes of an append, and of each event, besides the data: names, ids and framing. */
const BYTES_BESIDE_DATA = 512;

/**
 * Prepares an append. It validates the data, because the client library never settles a call whose data is not JSON.
 * Error: `TypeError` for data that is not JSON or too large.
 */
export function prepareAppend(
  append: StreamAppend,
  limits: Pick<EventStoreDbLimits, 'bytesPerAppend'>,
): PreparedAppend {
  let byteBound = BYTES_BESIDE_DATA;
  for (const { data } of append.events) byteBound += Buffer.byteLength(JSON.stringify(data)) + BYTES_BESIDE_DATA;
  if (byteBound > limits.bytesPerAppend) throw new TypeError(`An append to ${append.stream} is too large`);
  return { ...append, eventIds: append.events.map(() => randomUUID()), byteBound };
}

/** Returns one append with the events of several appends to one stream, each of which continues the one before. */
export function mergeAppends(appends: readonly PreparedAppend[]): PreparedAppend {
  const [first, ...others] = appends;
  if (first === undefined) throw new TypeError('Nothing to merge');
  if (others.length === 0) return first;
  return {
    ...first,
    events: appends.flatMap(({ events }) => events),
    eventIds: appends.flatMap(({ eventIds }) => eventIds),
    byteBound: appends.reduce((sum, { byteBound }) => sum + byteBound, 0),
  };
}

/**
 * The only client of this process that appends. The client library sends all appends over one call and keeps pending
 * appends in one structure per process: the end of a call fails the appends of every other call, and a later response
 * ends the process. So a failed client is retired, and the next one starts only after its call has ended. This client
 * does not read, because a client that cancels a read closes its connection.
 */
export class AppendingClient {
  /** Run on each new connection before the first append; when one rejects, the connection is not used. */
  readonly connectionChecks = new Set<() => Promise<void>>();
  readonly #semaphore: Semaphore;
  #client: EventStoreDBClient | null = null;
  #connecting: Promise<EventStoreDBClient> | null = null;
  #retiring: Promise<void> = Promise.resolve();
  #consecutiveFailures = 0;

  constructor(
    private readonly url: string,
    private readonly limits: EventStoreDbLimits,
  ) {
    this.#semaphore = new Semaphore({ slots: limits.appendsInFlight, weight: limits.bytesInFlight });
  }

  /**
   * Tries once to store an append, for at most `timeoutMs`. Returns the position of its last event; undefined if the
   * server does not return it. Errors: those that `eventstoredb-errors.ts` classifies.
   */
  async append(
    { stream, expectedRevision, events, eventIds, byteBound }: PreparedAppend,
    timeoutMs: number,
  ): Promise<Position | undefined> {
    const deadlineMs = performance.now() + timeoutMs;
    if (!(await this.#semaphore.acquire(timeoutMs, byteBound))) throw new NotSent();
    try {
      const client = await this.#getClient(deadlineMs - performance.now());
      if (deadlineMs - performance.now() < this.limits.sendAtLeastMs) throw new NotSent();
      const leftMs = Math.min(deadlineMs - performance.now(), this.limits.answerMs);
      const appending = client.appendToStream(
        stream,
        events.map((event, index) => {
          const { id, type, data } = event;
          const metadata = encodeMetadata(event);
          return jsonEvent({ id: eventIds[index] ?? id, type, data: data as Record<string, unknown>, metadata });
        }),
        { expectedRevision: expectedRevision === NO_STREAM ? 'no_stream' : BigInt(expectedRevision) },
      );
      const { position } = await this.#trackFailures(client, awaitResponse(appending, leftMs));
      return position;
    } finally {
      this.#semaphore.release(byteBound);
    }
  }

  /** Closes the client; pending appends fail. */
  async close(): Promise<void> {
    await this.#connecting?.catch(() => undefined);
    if (this.#client !== null) this.#retireClient(this.#client);
    await this.#retiring;
  }

  /** Returns the connected client. Errors: `NotSent` after `timeoutMs`, and connection errors. */
  async #getClient(timeoutMs: number): Promise<EventStoreDBClient> {
    if (this.#client !== null) return this.#client;
    this.#connecting ??= this.#connect().finally(() => (this.#connecting = null));
    return withSendTimeout(this.#connecting, timeoutMs);
  }

  async #connect(): Promise<EventStoreDBClient> {
    await this.#retiring;
    const client = EventStoreDBClient.connectionString(newestSecret(this.url));
    try {
      await withSendTimeout(waitUntilReady(client), this.limits.answerMs);
      for (const check of this.connectionChecks) await check();
    } catch (error) {
      void retireClient(client).catch(() => undefined);
      throw error;
    }
    this.#consecutiveFailures = 0;
    this.#client = client;
    return client;
  }

  async #trackFailures<T>(client: EventStoreDBClient, call: Promise<T>): Promise<T> {
    try {
      const result = await call;
      this.#consecutiveFailures = 0;
      return result;
    } catch (error) {
      if (isConflict(error) || isPermanent(error)) this.#consecutiveFailures = 0;
      else if (client === this.#client) {
        this.#consecutiveFailures += 1;
        const isUsable = isServerResponse(error) && this.#consecutiveFailures < this.limits.failuresUntilNewClient;
        if (!isUsable) this.#retireClient(client);
      }
      throw error;
    }
  }

  #retireClient(client: EventStoreDBClient): void {
    this.#client = null;
    this.#retiring = awaitResponse(retireClient(client), this.limits.disposeWaitMs).catch(() => undefined);
  }
}

const utf8 = new TextEncoder();

/**
 * Returns the metadata of an event as JSON. With the names that begin with `$`, the server's projections link related
 * events. Bytes, because the client library converts an object to Base64 and back, twice for each append.
 */
function encodeMetadata({ id, correlationId, causationId }: NewEvent): Uint8Array {
  return utf8.encode(JSON.stringify({ id, $correlationId: correlationId, $causationId: causationId }));
}

/** Waits for a call that precedes the append. Error: `NotSent` after `timeoutMs`. */
function withSendTimeout<T>(call: Promise<T>, timeoutMs: number): Promise<T> {
  return withTimeout(call, timeoutMs, () => new NotSent());
}

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
async function waitUntilReady(client: EventStoreDBClient): Promise<void> {
  await getInternals(client).capabilities;
}

/** Ends the calls of the client, so that pending ones fail, and keeps it from starting others. */
async function retireClient(client: EventStoreDBClient): Promise<void> {
  // Calls of this turn must start before.
  await yieldToEventLoop();
  getInternals(client).GRPCStreamCreator = () => async () => {
    throw new Error('The client is retired');
  };
  await client.dispose();
}

let shared: { readonly url: string; readonly client: AppendingClient; references: number } | null = null;

/** Returns the appending client of this process. Error: it already appends to another server. */
export function acquireAppendingClient(url: string, limits: EventStoreDbLimits): AppendingClient {
  shared ??= { url, client: new AppendingClient(url, limits), references: 0 };
  if (shared.url !== url) throw new Error('A process can append to one EventStoreDB only: use the same URL everywhere');
  shared.references += 1;
  return shared.client;
}

/** Releases the client; call it once for each `acquireAppendingClient`. The last call closes the client. */
export async function releaseAppendingClient(): Promise<void> {
  if (shared === null) return;
  shared.references -= 1;
  if (shared.references > 0) return;
  const { client } = shared;
  shared = null;
  await client.close();
}
