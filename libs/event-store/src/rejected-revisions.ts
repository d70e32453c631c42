import { computeRevisionAfter } from './append-unit.js';
import type { AppendUnit, StreamAppend } from './event-store.js';

interface Rejection {
  /** The revisions that were claimed and not stored. */
  readonly first: number;
  readonly last: number;
  /** The last append that may have been decided before its writer could know. */
  lastTicket: number;
}

/**
 * Remembers which revisions were claimed by units that were not stored. Writers decide ahead, on what their earlier
 * units will have written; when such a unit is refused because another writer's event stands at its revision, the
 * number alone would let the next unit pass, although it was decided on a state that never was. So whatever builds on
 * a claimed revision and came in before the writer's own handlers of the rejection have run is refused too.
 */
export class RejectedRevisions {
  readonly #rejections = new Map<string, Rejection[]>();
  #unnoticed: Rejection[] = [];
  #lastTicket = 0;

  /** Numbers the appends in the order in which they come in; they are judged in the same order. */
  nextTicket(): number {
    this.#lastTicket += 1;
    return this.#lastTicket;
  }

  add(unit: AppendUnit): void {
    if (this.#unnoticed.length === 0) setImmediate(() => this.#markNoticed());
    for (const append of unit) {
      const refusal = { first: append.expectedRevision + 1, last: computeRevisionAfter(append), lastTicket: Infinity };
      const earlier = this.#rejections.get(append.stream);
      if (earlier === undefined) this.#rejections.set(append.stream, [refusal]);
      else earlier.push(refusal);
      this.#unnoticed.push(refusal);
    }
  }

  /** Whether an append builds on a revision that was claimed and not stored, without its writer knowing. */
  isStale({ stream, expectedRevision }: StreamAppend, ticket: number): boolean {
    if (this.#rejections.size === 0) return false;
    const refusals = this.#rejections.get(stream) ?? [];
    return refusals.some(
      ({ first, last, lastTicket }) => first <= expectedRevision && expectedRevision <= last && ticket <= lastTicket,
    );
  }

  /** Forgets what only concerned appends before `ticket`: all of them are settled. */
  forgetBefore(ticket: number): void {
    for (const [stream, refusals] of this.#rejections) {
      const left = refusals.filter(({ lastTicket }) => lastTicket >= ticket);
      if (left.length === 0) this.#rejections.delete(stream);
      else if (left.length < refusals.length) this.#rejections.set(stream, left);
    }
  }

  #markNoticed(): void {
    for (const refusal of this.#unnoticed) refusal.lastTicket = this.#lastTicket;
    this.#unnoticed = [];
  }
}
