import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { CopyRows, databaseFailures } from '@settle/postgres';
import type { AppendConnection } from './append-connection.js';
import { isUniqueViolation, isOutcomeUnknown, describeError } from './append-errors.js';
import { validateBatch, type QueuedUnit, type SendableBatch } from './batch-validation.js';
import { createsStream, validateUnit, computeRevisionAfter } from './append-unit.js';
import { computeByteBound, encodeEvents, storeEvents } from './store-events.js';
import {
  AppendOutcomeUnknown,
  RevisionConflict,
  StoreUnavailable,
  type AppendResult,
  type AppendUnit,
  type StreamAppend,
} from './event-store.js';
import type { RevisionCache } from './revision-cache.js';
import type { EventStoreLimits } from './limits.js';
import { LogRegression } from './log-continuity.js';
import { RejectedRevisions } from './rejected-revisions.js';
import type { AppendCounts } from './append-metrics.js';
import { compareUnit, findNewestRevisions, readExisting } from './existing-events.js';
import type pg from 'pg';

export interface AppendWriterOptions {
  readonly connection: AppendConnection;
  readonly revisions: RevisionCache;
  readonly limits: EventStoreLimits;
  /** Called with units whose events are stored at consecutive positions from `firstPosition` on. */
  readonly onStored: (firstPosition: number, units: readonly AppendUnit[]) => void;
}

/**
 * Stores units in order of arrival. When the connection is free, one atomic statement stores all queued units; there is
 * one statement in flight at a time and no timer.
 */
export class AppendWriter {
  readonly counts: AppendCounts = { stored: 0, conflict: 0, failed: 0 };
  /** Number of statements that have stored units. */
  statements = 0;
  readonly #queue: QueuedUnit[] = [];
  readonly #rejected = new RejectedRevisions();
  #rows = new CopyRows();
  /** The units that are being stored; nothing else uses the connection meanwhile. */
  #batch: QueuedUnit[] = [];
  #lookedUpRevisions = new Map<string, number>();
  #mustCompare = false;
  #running: Promise<void> | null = null;
  #isClosed = false;

  constructor(private readonly options: AppendWriterOptions) {}

  /** Number of units in the queue and in the current batch. */
  get waiting(): number {
    return this.#queue.length + this.#batch.length;
  }

  append(unit: AppendUnit): Promise<AppendResult> {
    return new Promise((resolve, reject) => {
      validateUnit(unit);
      const { limits } = this.options;
      if (this.#isClosed) throw new StoreUnavailable('the store is closed');
      if (this.#queue.length >= limits.unitsWaiting) {
        this.counts.failed += 1;
        throw new StoreUnavailable('too many units are queued');
      }
      const texts: string[] = [];
      for (const { events } of unit) for (const { data } of events) texts.push(JSON.stringify(data));
      const byteBound = computeByteBound({ unit, texts });
      if (byteBound > limits.bytesPerUnit) throw new TypeError('The unit is too large');
      const ticket = this.#rejected.nextTicket();
      this.#queue.push({
        unit,
        texts,
        byteBound,
        ticket,
        sinceMs: performance.now(),
        outcomeUnknown: false,
        resolve,
        reject,
      });
      this.#running ??= this.#run();
    });
  }

  /** Rejects further units and waits for the queued ones. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#running;
    await this.options.connection.end();
  }

  async #run(): Promise<void> {
    const { appendGiveUpMs, unitsPerBatch } = this.options.limits;
    while (this.#queue.length > 0) {
      // Callers whose append has just succeeded can add their next unit to this batch.
      await yieldToEventLoop();
      this.#batch = this.#queue.splice(0, unitsPerBatch);
      this.#rejected.forgetBefore(this.#batch[0]?.ticket ?? 0);
      this.#rejectExpired();
      const giveUpAtMs = performance.now() + appendGiveUpMs;
      const watchdog = setTimeout(() => this.options.connection.drop(), appendGiveUpMs);
      await this.#storeBatch(giveUpAtMs);
      clearTimeout(watchdog);
    }
    this.#running = null;
  }

  /** Rejects units that waited longer than `unitWaitMs`: their callers may have given up, so they must not be stored. */
  #rejectExpired(): void {
    const latestMs = performance.now() - this.options.limits.unitWaitMs;
    const expired = this.#batch.filter(({ sinceMs }) => sinceMs < latestMs);
    if (expired.length === 0) return;
    this.#batch = this.#batch.filter(({ sinceMs }) => sinceMs >= latestMs);
    this.#rejectAll('the unit waited too long in the queue', expired);
  }

  async #storeBatch(giveUpAtMs: number): Promise<void> {
    const lastAttemptMs = giveUpAtMs - this.options.limits.reconnectPauseMinMs;
    this.#lookedUpRevisions.clear();
    this.#mustCompare = false;
    while (this.#batch.length > 0) {
      try {
        const client = await this.options.connection.getClient(giveUpAtMs);
        await this.#advanceBatch(client, giveUpAtMs);
      } catch (error) {
        this.options.connection.drop();
        // The socket may still be sending a failed append from the old buffer.
        this.#rows = new CopyRows();
        this.#mustCompare = true;
        if (!isOutcomeUnknown(error)) this.#rejectFailed(error, this.#batch.splice(0));
        else if (error instanceof LogRegression || performance.now() >= lastAttemptMs) {
          this.#rejectFailed(error, [...this.#batch.splice(0), ...this.#queue.splice(0)]);
        }
      }
    }
  }

  /** Takes one step: compares, looks up, or sends. */
  async #advanceBatch(client: pg.Client, giveUpAtMs: number): Promise<void> {
    if (this.#mustCompare) return this.#compareWithLog(client);
    const { revisions, limits } = this.options;
    const [rejected, lookedUp] = [this.#rejected, this.#lookedUpRevisions];
    const validation = validateBatch(this.#batch, { revisions, rejected, lookedUp, limits });
    if (validation.kind === 'compare') return this.#compareWithLog(client);
    if (validation.kind === 'look-up') return this.#lookUpRevisions(client, validation.streams);
    return this.#send(client, validation, giveUpAtMs);
  }

  async #lookUpRevisions(client: pg.Client, streams: readonly string[]): Promise<void> {
    const newest = await findNewestRevisions(client, streams);
    for (const stream of streams) {
      const revision = newest.get(stream);
      this.#lookedUpRevisions.set(stream, revision ?? -1);
      if (revision !== undefined) this.options.revisions.update(stream, revision);
    }
  }

  async #send(client: pg.Client, batch: SendableBatch, giveUpAtMs: number): Promise<void> {
    const { ready, rejected, later } = batch;
    const { clock } = this.options.connection;
    this.#batch = [...ready, ...later];
    for (const [queued, append] of rejected) this.#rejectConflict(queued, append);
    if (ready.length === 0) return;
    const events = encodeEvents(ready, this.#rows);
    const deadline = clock.toDatabaseTime(giveUpAtMs, performance.now());
    const wereUnknown = ready.map(({ outcomeUnknown }) => outcomeUnknown);
    for (const queued of ready) queued.outcomeUnknown = true;
    try {
      const sentAtMs = performance.now();
      const { position, clockMs } = await storeEvents(client, deadline, events);
      clock.addReading(clockMs, sentAtMs, performance.now());
      this.statements += 1;
      this.#batch = later;
      this.#resolveStored(ready, position);
    } catch (error) {
      if (isOutcomeUnknown(error)) throw error;
      for (const [index, queued] of ready.entries()) queued.outcomeUnknown = wereUnknown[index] ?? false;
      if (isUniqueViolation(error)) this.#mustCompare = true;
      else if (!(await this.options.connection.recover(error, giveUpAtMs))) throw error;
    }
  }

  #resolveStored(units: readonly QueuedUnit[], lastPosition: number): void {
    this.counts.stored += units.length;
    let count = 0;
    for (const { unit, texts } of units) {
      count += texts.length;
      // One unit creates and completes most streams. The others are looked up once.
      for (const append of unit) {
        if (!createsStream(unit, append.stream))
          this.options.revisions.update(append.stream, computeRevisionAfter(append));
      }
    }
    const stored = units.map(({ unit }) => unit);
    let position = lastPosition - count;
    this.options.onStored(position + 1, stored);
    for (const { texts, resolve } of units) {
      position += texts.length;
      resolve({ position });
    }
  }

  /** The stored events may not be adjacent or identical to this unit, so subscriptions must read them from the log. */
  #resolveAlreadyStored({ unit, resolve }: QueuedUnit, position: number): void {
    for (const append of unit) this.options.revisions.update(append.stream, computeRevisionAfter(append));
    this.counts.stored += 1;
    this.options.onStored(position + 1, []);
    resolve({ position });
  }

  /** Resolves the units that are stored already, rejects those that conflict, and keeps the others. */
  async #compareWithLog(client: pg.Client): Promise<void> {
    const findExisting = await readExisting(client, this.#batch);
    this.#mustCompare = false;
    const remaining: QueuedUnit[] = [];
    for (const queued of this.#batch) {
      const comparison = compareUnit(queued.unit, findExisting);
      const stale = queued.unit.find((append) => this.#rejected.isStale(append, queued.ticket));
      if (comparison.kind === 'stored') this.#resolveAlreadyStored(queued, comparison.position);
      else if (comparison.kind === 'taken') this.#rejectConflict(queued, comparison.append);
      else if (stale !== undefined) this.#rejectConflict(queued, stale);
      else remaining.push(queued);
    }
    // The log has room for them, whatever was known of their streams.
    for (const { unit } of remaining) for (const { stream } of unit) this.options.revisions.forget(stream);
    this.#batch = remaining;
  }

  #rejectConflict({ unit, reject }: QueuedUnit, { stream, expectedRevision }: StreamAppend): void {
    this.counts.conflict += 1;
    this.#rejected.add(unit);
    reject(new RevisionConflict(stream, expectedRevision));
  }

  #rejectFailed(error: unknown, units: readonly QueuedUnit[]): void {
    databaseFailures.record(error);
    this.#rejectAll(describeError(error), units);
  }

  #rejectAll(reason: string, units: readonly QueuedUnit[]): void {
    this.counts.failed += units.length;
    for (const { unit, outcomeUnknown, reject } of units) {
      this.#rejected.add(unit);
      reject(outcomeUnknown ? new AppendOutcomeUnknown(reason) : new StoreUnavailable(reason));
    }
  }
}
