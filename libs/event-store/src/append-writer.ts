import { databaseFailures } from '@settle/postgres';
import type { AppendConnection } from './append-connection.js';
import { isUniqueViolation, leavesOutcomeOpen, reasonOf } from './append-errors.js';
import { judge, type Judgement, type WaitingUnit } from './append-judgement.js';
import { beginsIn, checkUnit, tailAfter } from './append-unit.js';
import { CopyEncoder, unitByteBound } from './copy-encoder.js';
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
import type { KnownRevisions } from './known-revisions.js';
import type { EventStoreLimits } from './limits.js';
import { LogWentBack } from './log-continuity.js';
import type { RefusedStreams } from './refused-streams.js';
import type { AppendCounts } from './show-appends.js';
import { compare, findNewest, findStanding } from './standing-events.js';
import type pg from 'pg';

export interface AppendWriterOptions {
  readonly connection: AppendConnection;
  readonly known: KnownRevisions;
  readonly refused: RefusedStreams;
  readonly limits: EventStoreLimits;
  /** Told of units that have been stored one after the other, the first event at `firstPosition`. */
  readonly onStored: (firstPosition: number, units: readonly AppendUnit[]) => void;
}

/** Lets everybody who was answered in this turn put his next unit into the queue. */
const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

/**
 * Stores units in the order in which they come in: whatever waits when the connection is free goes out in one
 * statement, whole or not at all, with one statement in flight and no timer.
 */
export class AppendWriter {
  readonly counts: AppendCounts = { stored: 0, conflict: 0, failed: 0 };
  /** Statements that have stored units. */
  statements = 0;
  newestPosition = START;
  readonly #queue: WaitingUnit[] = [];
  readonly #encoder = new CopyEncoder();
  /** The units being settled; nothing else touches the connection meanwhile. */
  #batch: WaitingUnit[] = [];
  #lookedUp = new Map<string, number>();
  #mustCompare = false;
  #running: Promise<void> | null = null;
  #closed = false;

  constructor(private readonly options: AppendWriterOptions) {}

  /** Units in the queue and in hand. */
  get waiting(): number {
    return this.#queue.length + this.#batch.length;
  }

  append(unit: AppendUnit): Promise<AppendResult> {
    return new Promise((resolve, reject) => {
      checkUnit(unit);
      const { limits, refused } = this.options;
      if (this.#closed) throw new StoreUnavailable('it is closed');
      if (this.#queue.length >= limits.unitsWaiting) {
        this.counts.failed += 1;
        throw new StoreUnavailable('too many units are waiting');
      }
      const texts: string[] = [];
      for (const { events } of unit) for (const { data } of events) texts.push(JSON.stringify(data));
      const byteBound = unitByteBound(unit, texts);
      if (byteBound > limits.bytesPerUnit) throw new TypeError('The unit is too large');
      const ticket = refused.nextTicket();
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
    this.#closed = true;
    await this.#running;
    await this.options.connection.end();
  }

  async #run(): Promise<void> {
    const { appendGiveUpMs, unitsPerBatch } = this.options.limits;
    while (this.#queue.length > 0) {
      await nextTurn();
      this.#batch = this.#queue.splice(0, unitsPerBatch);
      this.options.refused.settledBefore(this.#batch[0]?.ticket ?? 0);
      this.#refuseLate();
      const giveUpAtMs = performance.now() + appendGiveUpMs;
      const watchdog = setTimeout(() => this.options.connection.drop(), appendGiveUpMs);
      await this.#settle(giveUpAtMs);
      clearTimeout(watchdog);
    }
    this.#running = null;
  }

  /** Whoever waited so long may have been given up by then, and must not be stored behind the back of that. */
  #refuseLate(): void {
    const latestMs = performance.now() - this.options.limits.unitWaitMs;
    const late = this.#batch.filter(({ sinceMs }) => sinceMs < latestMs);
    if (late.length === 0) return;
    this.#batch = this.#batch.filter(({ sinceMs }) => sinceMs >= latestMs);
    this.#giveUp('it waited too long for those before it', late);
  }

  async #settle(giveUpAtMs: number): Promise<void> {
    const lastTryMs = giveUpAtMs - this.options.limits.reconnectPauseMinMs;
    this.#lookedUp.clear();
    this.#mustCompare = false;
    while (this.#batch.length > 0) {
      try {
        const client = await this.options.connection.client(giveUpAtMs);
        await this.#advance(client, giveUpAtMs);
      } catch (error) {
        this.options.connection.drop();
        this.#encoder.reset();
        this.#mustCompare = true;
        if (!leavesOutcomeOpen(error)) this.#fail(error, this.#batch.splice(0));
        else if (error instanceof LogWentBack || performance.now() >= lastTryMs) {
          this.#fail(error, [...this.#batch.splice(0), ...this.#queue.splice(0)]);
        }
      }
    }
  }

  /** One step towards an empty batch. */
  async #advance(client: pg.Client, giveUpAtMs: number): Promise<void> {
    if (this.#mustCompare) return this.#compareWithLog(client);
    const { known, refused, limits } = this.options;
    const judgement = judge(this.#batch, { known, refused, lookedUp: this.#lookedUp, limits });
    if (judgement.kind === 'compare') return this.#compareWithLog(client);
    if (judgement.kind === 'look-up') return this.#lookUp(client, judgement.streams);
    return this.#send(client, judgement, giveUpAtMs);
  }

  async #lookUp(client: pg.Client, streams: readonly string[]): Promise<void> {
    const newest = await findNewest(client, streams);
    for (const stream of streams) {
      const revision = newest.get(stream);
      this.#lookedUp.set(stream, revision ?? -1);
      if (revision !== undefined) this.options.known.learn(stream, revision);
    }
  }

  async #send(client: pg.Client, judgement: Extract<Judgement, { kind: 'send' }>, giveUpAtMs: number): Promise<void> {
    const { ready, refused, later } = judgement;
    const { clock } = this.options.connection;
    this.#batch = [...ready, ...later];
    for (const { waiting, append } of refused) this.#refuse(waiting, append);
    if (ready.length === 0) return;
    const message = this.#encoder.encode(ready, clock.momentOf(giveUpAtMs, performance.now()));
    const uncertain = ready.map(({ outcomeUnknown }) => outcomeUnknown);
    for (const waiting of ready) waiting.outcomeUnknown = true;
    try {
      const sentAtMs = performance.now();
      const { position, clockMs } = await sendCopy(client, message);
      clock.learn(clockMs, sentAtMs, performance.now());
      this.statements += 1;
      this.newestPosition = position;
      this.#batch = later;
      this.#stored(ready, position);
    } catch (error) {
      if (leavesOutcomeOpen(error)) throw error;
      for (const [index, waiting] of ready.entries()) waiting.outcomeUnknown = uncertain[index] ?? false;
      if (isUniqueViolation(error)) this.#mustCompare = true;
      else if (!(await this.options.connection.removeObstacle(error, giveUpAtMs))) throw error;
    }
  }

  #stored(units: readonly WaitingUnit[], lastPosition: number): void {
    this.counts.stored += units.length;
    let count = 0;
    for (const { unit, eventCount } of units) {
      count += eventCount;
      // Most streams are begun, and ended, by one unit: those that go on are looked up once.
      for (const append of unit) {
        if (!beginsIn(unit, append.stream)) this.options.known.learn(append.stream, tailAfter(append));
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
  #storedEarlier({ unit, resolve }: WaitingUnit, position: number): void {
    for (const append of unit) this.options.known.learn(append.stream, tailAfter(append));
    this.counts.stored += 1;
    this.options.onStored(position + 1, []);
    resolve({ position });
  }

  /** Settles what is stored already and what can no longer be; keeps what may still go out. */
  async #compareWithLog(client: pg.Client): Promise<void> {
    const standing = await findStanding(client, this.#batch);
    this.#mustCompare = false;
    const left: WaitingUnit[] = [];
    for (const waiting of this.#batch) {
      const comparison = compare(waiting, standing);
      const stale = waiting.unit.find((append) => this.options.refused.buildsOnRefused(append, waiting.ticket));
      if (comparison.kind === 'stored') this.#storedEarlier(waiting, comparison.position);
      else if (comparison.kind === 'taken') this.#refuse(waiting, comparison.append);
      else if (stale !== undefined) this.#refuse(waiting, stale);
      else left.push(waiting);
    }
    this.#batch = left;
  }

  #refuse({ unit, reject }: WaitingUnit, { stream, expectedRevision }: StreamAppend): void {
    this.counts.conflict += 1;
    this.options.refused.refuse(unit);
    reject(new RevisionConflict(stream, expectedRevision));
  }

  #fail(error: unknown, units: readonly WaitingUnit[]): void {
    databaseFailures.add(error);
    this.#giveUp(reasonOf(error), units);
  }

  #giveUp(reason: string, units: readonly WaitingUnit[]): void {
    this.counts.failed += units.length;
    for (const { unit, outcomeUnknown, reject } of units) {
      this.options.refused.refuse(unit);
      reject(outcomeUnknown ? new AppendOutcomeUnknown(reason) : new StoreUnavailable(reason));
    }
  }
}
