import { setTimeout as pause } from 'node:timers/promises';
import { SettleError } from '@settle/contracts';
import type { EventEnvelope, EventHandler } from './message-bus.js';

export interface ConsumerLimits {
  /** Most events in one call of the handler. */
  readonly perBatch: number;
  /** Most events that may wait. */
  readonly waiting: number;
  /** Pause after the first failure; it doubles with each further one. */
  readonly pauseMinMs: number;
  readonly pauseMaxMs: number;
}

interface Delivery {
  readonly event: EventEnvelope;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Delivers a topic's events to one group, batch after batch and in order, each until its handler has processed it. */
export class EventConsumer {
  readonly #waiting: Delivery[] = [];
  readonly #closing = new AbortController();
  #draining: Promise<void> | null = null;

  constructor(
    readonly group: string,
    private readonly handler: EventHandler,
    private readonly limits: ConsumerLimits,
    private readonly onFailure: (error: unknown, group: string) => void,
  ) {}

  hasRoom(): boolean {
    return this.#waiting.length < this.limits.waiting;
  }

  /** Whether it was closed: it accepts no more events. */
  get isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  /** Resolves once the handler has processed the event. Error: `service_unavailable` if closed before. */
  deliver(event: EventEnvelope): Promise<void> {
    if (this.isClosed) return Promise.reject(buildNotProcessedError());
    const taken = new Promise<void>((resolve, reject) => this.#waiting.push({ event, resolve, reject }));
    this.#draining ??= this.#drain();
    return taken;
  }

  /** Resolves after the waiting events were delivered to the handler one last time. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#draining;
  }

  async #drain(): Promise<void> {
    // Events that are published in the same turn belong in the same batch.
    await Promise.resolve();
    while (this.#waiting.length > 0) await this.#give(this.#waiting.splice(0, this.limits.perBatch));
    this.#draining = null;
  }

  async #give(batch: readonly Delivery[]): Promise<void> {
    const events = batch.map((delivery) => delivery.event);
    for (let pauseMs = this.limits.pauseMinMs; ; pauseMs = Math.min(2 * pauseMs, this.limits.pauseMaxMs)) {
      const isLastTry = this.#closing.signal.aborted;
      try {
        await this.handler(events);
        for (const delivery of batch) delivery.resolve();
        return;
      } catch (error) {
        this.onFailure(error, this.group);
      }
      if (isLastTry) {
        for (const delivery of batch) delivery.reject(buildNotProcessedError());
        return;
      }
      // Closing ends the pause, not the batch.
      await pause(pauseMs, undefined, { signal: this.#closing.signal }).catch(() => undefined);
    }
  }
}

function buildNotProcessedError(): SettleError {
  return new SettleError('service_unavailable', 'Who follows these events left before the event was taken.');
}
