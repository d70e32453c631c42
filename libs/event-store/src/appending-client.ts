import { newestSecret } from '@settle/config';
import { randomUUID } from 'node:crypto';
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { AppendSemaphore } from './append-semaphore.js';
import { retireClient, waitUntilReady } from './batch-client.js';
import {
  withTimeout,
  isConflict,
  isPermanentError,
  isServerResponse,
  NotSent,
  ResponseTimeout,
} from './eventstoredb-errors.js';
import { NO_STREAM, type StreamAppend } from './event-store.js';
import type { LogPosition } from './log-position.js';
import type { EventStoreDbLimits } from './limits.js';

/** An append as it is sent, every time that it is sent. */
export interface PreparedAppend extends StreamAppend {
  /**
   * What the server knows the events by. Drawn for each sending of a unit, so that the server recognises a second try
   * of ours and nobody else's: whoever is answered "stored" knows that it was he who stored it. The events' own ids
   * stand in their metadata.
   */
  readonly eventIds: readonly string[];
  readonly byteBound: number;
}

/** Names, ids and frames of an append, and of each of its events. */
const BYTES_BESIDE_DATA = 512;

/**
 * To be called before an append is sent: the client would never settle a call whose data is no JSON.
 * Errors: TypeError for what is no JSON or too large.
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

/**
 * The one client object of this process that appends. The client library sends all appends over one call and keeps
 * what waits for an answer in one place per process: the end of one call fails the appends of every other, and an
 * answer that comes after that ends the process. So a client that failed is retired, and only when its call has ended
 * does another take its place. It reads nothing, because a client that gives up a read closes its connection.
 */
export class AppendingClient {
  /** Called on each new connection before anything is sent; where one fails, nothing is. */
  readonly connectionChecks = new Set<() => Promise<void>>();
  readonly #semaphore: AppendSemaphore;
  #client: EventStoreDBClient | null = null;
  #connecting: Promise<EventStoreDBClient> | null = null;
  #retiring: Promise<void> = Promise.resolve();
  #consecutiveFailures = 0;

  constructor(
    private readonly url: string,
    private readonly limits: EventStoreDbLimits,
  ) {
    this.#semaphore = new AppendSemaphore(limits);
  }

  /**
   * Tries once to store an append, for at most `timeoutMs`. Where its last event stands, or undefined when the server
   * does not say. Errors: what `eventstoredb-errors.ts` judges.
   */
  async append(
    { stream, expectedRevision, events, eventIds, byteBound }: PreparedAppend,
    timeoutMs: number,
  ): Promise<LogPosition | undefined> {
    const untilMs = performance.now() + timeoutMs;
    await this.#semaphore.acquire(byteBound, timeoutMs);
    try {
      const client = await this.#getClient(untilMs - performance.now());
      if (untilMs - performance.now() < this.limits.sendAtLeastMs) throw new NotSent();
      const leftMs = Math.min(untilMs - performance.now(), this.limits.answerMs);
      const appending = client.appendToStream(
        stream,
        events.map(({ id, type, data }, index) =>
          jsonEvent({ id: eventIds[index] ?? id, type, data: data as Record<string, unknown>, metadata: { id } }),
        ),
        { expectedRevision: expectedRevision === NO_STREAM ? 'no_stream' : BigInt(expectedRevision) },
      );
      const { position } = await this.#trackFailures(client, withTimeout(appending, leftMs));
      return position;
    } finally {
      this.#semaphore.release(byteBound);
    }
  }

  /** Ends its calls; what is under way fails. */
  async close(): Promise<void> {
    await this.#connecting?.catch(() => undefined);
    if (this.#client !== null) this.#retireClient(this.#client);
    await this.#retiring;
  }

  /** Errors: `NeverSent` in time, and what the client meets before it can send anything. */
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
      if (isConflict(error) || isPermanentError(error)) this.#consecutiveFailures = 0;
      else if (client === this.#client) this.#recordFailure(client, error);
      throw error;
    }
  }

  #recordFailure(client: EventStoreDBClient, error: unknown): void {
    this.#consecutiveFailures += 1;
    if (isServerResponse(error) && this.#consecutiveFailures < this.limits.failuresUntilNewClient) return;
    this.#retireClient(client);
  }

  #retireClient(client: EventStoreDBClient): void {
    this.#client = null;
    this.#retiring = withTimeout(retireClient(client), this.limits.disposeWaitMs).catch(() => undefined);
  }
}

/** Waits for what comes before sending: when that takes too long, nothing was sent. */
async function withSendTimeout<T>(call: Promise<T>, timeoutMs: number): Promise<T> {
  try {
    return await withTimeout(call, timeoutMs);
  } catch (error) {
    throw error instanceof ResponseTimeout ? new NotSent() : error;
  }
}

let shared: { readonly url: string; readonly client: AppendingClient; users: number } | null = null;

/** The appending client of this process. Errors: it appends to another server already. */
export function acquireAppendingClient(url: string, limits: EventStoreDbLimits): AppendingClient {
  shared ??= { url, client: new AppendingClient(url, limits), users: 0 };
  if (shared.url !== url) throw new Error('A process can append to one EventStoreDB only');
  shared.users += 1;
  return shared.client;
}

/** To be called once for each `shareAppendingClient`; the last one closes it. */
export async function releaseAppendingClient(): Promise<void> {
  if (shared === null) return;
  shared.users -= 1;
  if (shared.users > 0) return;
  const { client } = shared;
  shared = null;
  await client.close();
}
