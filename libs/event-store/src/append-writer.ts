import { databaseFailures } from '@settle/postgres';
import type { AppendConnection } from './append-connection.js';
import { isUniqueViolation, isOutcomeUnknown, describeError } from './append-errors.js';
import { validateBatch, type BatchValidation, type QueuedUnit } from './batch-validation.js';
import { createsStream, validateUnit, computeRevisionAfter } from './append-unit.js';
import { CopyEncoder, computeByteBound } from './copy-encoder.js';
import { sendCopy } from './copy-statement.js';
import {
  AppendOutcomeUnknown,
  RevisionConflict,
  START,
  StoreUnavailable,
  type AppendResult,
  type AppendUnit,
  type StreamAppend,
} from './event-store.js';
import type { RevisionCache } from './revision-cache.js';
import type { EventStoreLimits } from './limits.js';
import { LogWentBack } from './log-continuity.js';
import type { RejectedRevisions } from './rejected-revisions.js';
import type { AppendCounts } from './append-metrics.js';
import { compareUnit, findNewestRevisions, findExisting } from './existing-events.js';
import type pg from 'pg';

export interface AppendWriterOptions {
  readonly connection: AppendConnection;
  readonly revisions: RevisionCache;
  readonly rejected: RejectedRevisions;
  readonly limits: EventStoreLimits;
  /** Told of units that have been stored one after the other, the first event at `firstPosition`. */
  readonly onStored: (firstPosition: number, units: readonly AppendUnit[]) => void;
}

/** Lets everybody who was answered in this turn put his next unit into the queue. */
const yieldToEventLoop = () => new Promise<void>((resolve) => setImmediate(resolve));

/**
 * Stores units in the order in which they come in: whatever waits when the connection is free goes out in one
 * statement, whole or not at all, with one statement in flight and no timer.
 */
export class AppendWriter {
  readonly counts: AppendCounts = { stored: 0, conflict: 0, failed: 0 };
  /** Statements that have stored units. */
  statements = 0;
  newestPosition = START;
  readonly #queue: QueuedUnit[] = [];
  readonly #encoder = new CopyEncoder();
  /** The units being settled; nothing else touches the connection meanwhile. */
  #batch: QueuedUnit[] = [];
  #lookedUpRevisions = new Map<string, number>();
  #mustCompare = false;
  #running: Promise<void> | null = null;
  #isClosed = false;

  constructor(private readonly options: AppendWriterOptions) {}

  /** Units in the queue and in hand. */
  get waiting(): number {
    return this.#queue.length + this.#batch.length;
  }

  append(unit: AppendUnit): Promise<AppendResult> {
    return new Promise((resolve, reject) => {
      validateUnit(unit);
      const { limits, rejected } = this.options;
      if (this.#isClosed) throw new StoreUnavailable('it is closed');
      if (this.#queue.length >= limits.unitsWaiting) {
        this.counts.failed += 1;
        throw new StoreUnavailable('too many units are waiting');
      }
      const texts: string[] = [];
      for (const { events } of unit) for (const { data } of events) texts.push(JSON.stringify(data));
      const byteBound = computeByteBound(unit, texts);
      if (byteBound > limits.bytesPerUnit) throw new TypeError('The unit is too large');
      const ticket = rejected.nextTicket();
      this.#queue.push({
        unit,
        texts,
        byteBound,
        eventCount: texts.length,
        ticket,
        sinceMs: performance.now(),
        outcomeUnknown: false,
        resolve,
        reject,
      });
      this.#running ??= this.#run();
    });
  }

  /** Refuses further units and waits for those in the queue. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#running;
    await this.options.connection.end();
  }

  async #run(): Promise<void> {
    const { appendGiveUpMs, unitsPerBatch } = this.options.limits;
    while (this.#queue.length > 0) {
      await yieldToEventLoop();
      this.#batch = this.#queue.splice(0, unitsPerBatch);
      this.options.rejected.forgetBefore(this.#batch[0]?.ticket ?? 0);
      this.#rejectExpired();
      const giveUpAtMs = performance.now() + appendGiveUpMs;
      const watchdog = setTimeout(() => this.options.connection.drop(), appendGiveUpMs);
      await this.#storeBatch(giveUpAtMs);
      clearTimeout(watchdog);
    }
    this.#running = null;
  }

  /** Whoever waited so long may have been given up by then, and must not be stored behind the back of that. */
  #rejectExpired(): void {
    const latestMs = performance.now() - this.options.limits.unitWaitMs;
    const late = this.#batch.filter(({ sinceMs }) => sinceMs < latestMs);
    if (late.length === 0) return;
    this.#batch = this.#batch.filter(({ sinceMs }) => sinceMs >= latestMs);
    this.#rejectAll('it waited too long for those before it', late);
  }

  async #storeBatch(giveUpAtMs: number): Promise<void> {
    const lastTryMs = giveUpAtMs - this.options.limits.reconnectPauseMinMs;
    this.#lookedUpRevisions.clear();
    this.#mustCompare = false;
    while (this.#batch.length > 0) {
      try {
        const client = await this.options.connection.getClient(giveUpAtMs);
        await this.#advanceBatch(client, giveUpAtMs);
      } catch (error) {
        this.options.connection.drop();
        this.#encoder.reset();
        this.#mustCompare = true;
        if (!isOutcomeUnknown(error)) this.#rejectFailed(error, this.#batch.splice(0));
        else if (error instanceof LogWentBack || performance.now() >= lastTryMs) {
          this.#rejectFailed(error, [...this.#batch.splice(0), ...this.#queue.splice(0)]);
        }
      }
    }
  }

  /** One step towards an empty batch. */
  async #advanceBatch(client: pg.Client, giveUpAtMs: number): Promise<void> {
    if (this.#mustCompare) return this.#compareWithLog(client);
    const { revisions, rejected, limits } = this.options;
    const judgement = validateBatch(this.#batch, { revisions, rejected, lookedUp: this.#lookedUpRevisions, limits });
    if (judgement.kind === 'compare') return this.#compareWithLog(client);
    if (judgement.kind === 'look-up') return this.#lookUpRevisions(client, judgement.streams);
    return this.#send(client, judgement, giveUpAtMs);
  }

  async #lookUpRevisions(client: pg.Client, streams: readonly string[]): Promise<void> {
    const newest = await findNewestRevisions(client, streams);
    for (const stream of streams) {
      const revision = newest.get(stream);
      this.#lookedUpRevisions.set(stream, revision ?? -1);
      if (revision !== undefined) this.options.revisions.update(stream, revision);
    }
  }

  async #send(
    client: pg.Client,
    judgement: Extract<BatchValidation, { kind: 'send' }>,
    giveUpAtMs: number,
  ): Promise<void> {
    const { ready, refused, later } = judgement;
    const { clock } = this.options.connection;
    this.#batch = [...ready, ...later];
    for (const { waiting, append } of refused) this.#rejectConflict(waiting, append);
    if (ready.length === 0) return;
    const message = this.#encoder.encode(ready, clock.toDatabaseTime(giveUpAtMs, performance.now()));
    const uncertain = ready.map(({ outcomeUnknown }) => outcomeUnknown);
    for (const waiting of ready) waiting.outcomeUnknown = true;
    try {
      const sentAtMs = performance.now();
      const { position, clockMs } = await sendCopy(client, message);
      clock.addReading(clockMs, sentAtMs, performance.now());
      this.statements += 1;
      this.newestPosition = position;
      this.#batch = later;
      this.#resolveStored(ready, position);
    } catch (error) {
      if (isOutcomeUnknown(error)) throw error;
      for (const [index, waiting] of ready.entries()) waiting.outcomeUnknown = uncertain[index] ?? false;
      if (isUniqueViolation(error)) this.#mustCompare = true;
      else if (!(await this.options.connection.recover(error, giveUpAtMs))) throw error;
    }
  }

  #resolveStored(units: readonly QueuedUnit[], lastPosition: number): void {
    this.counts.stored += units.length;
    let count = 0;
    for (const { unit, eventCount } of units) {
      count += eventCount;
      // Most streams are begun, and ended, by one unit: those that go on are looked up once.
      for (const append of unit) {
        if (!createsStream(unit, append.stream))
          this.options.revisions.update(append.stream, computeRevisionAfter(append));
      }
    }
    const first = lastPosition - count + 1;
    this.options.onStored(
      first,
      units.map(({ unit }) => unit),
    );
    let position = first - 1;
    for (const { eventCount, resolve } of units) {
      position += eventCount;
      resolve({ position });
    }
  }

  /** What stands in the log may lie apart and need not read like this unit: subscriptions are sent to the log. */
  #resolveAlreadyStored({ unit, resolve }: QueuedUnit, position: number): void {
    for (const append of unit) this.options.revisions.update(append.stream, computeRevisionAfter(append));
    this.counts.stored += 1;
    this.options.onStored(position + 1, []);
    resolve({ position });
  }

  /** Settles what is stored already and what can no longer be; keeps what may still go out. */
  async #compareWithLog(client: pg.Client): Promise<void> {
    const standing = await findExisting(client, this.#batch);
    this.#mustCompare = false;
    const left: QueuedUnit[] = [];
    for (const waiting of this.#batch) {
      const comparison = compareUnit(waiting, standing);
      const stale = waiting.unit.find((append) => this.options.rejected.isStale(append, waiting.ticket));
      if (comparison.kind === 'stored') this.#resolveAlreadyStored(waiting, comparison.position);
      else if (comparison.kind === 'taken') this.#rejectConflict(waiting, comparison.append);
      else if (stale !== undefined) this.#rejectConflict(waiting, stale);
      else left.push(waiting);
    }
    this.#batch = left;
  }

  #rejectConflict({ unit, reject }: QueuedUnit, { stream, expectedRevision }: StreamAppend): void {
    this.counts.conflict += 1;
    this.options.rejected.add(unit);
    reject(new RevisionConflict(stream, expectedRevision));
  }

  #rejectFailed(error: unknown, units: readonly QueuedUnit[]): void {
    databaseFailures.add(error);
    this.#rejectAll(describeError(error), units);
  }

  #rejectAll(reason: string, units: readonly QueuedUnit[]): void {
    this.counts.failed += units.length;
    for (const { unit, outcomeUnknown, reject } of units) {
      this.options.rejected.add(unit);
      reject(outcomeUnknown ? new AppendOutcomeUnknown(reason) : new StoreUnavailable(reason));
    }
  }
}
