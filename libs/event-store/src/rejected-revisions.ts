import { computeRevisionAfter } from './append-unit.js';
import type { AppendUnit, StreamAppend } from './event-store.js';

interface Rejection {
  /** The range of revisions that were not stored. */
  readonly first: number;
  readonly last: number;
  /** The last append that its writer may have decided before it knew of the rejection. */
  lastTicket: number;
}

/**
 * Records the revisions of units that were not stored. A writer may build on units that are still in the queue. When such
 * a unit is rejected because another writer has taken its revision, the next unit has a valid revision, although it was
 * decided on a state that never existed. So appends that build on a rejected revision are rejected, too, if they arrived
 * before the rejection handlers of the writer have run.
 */
export class RejectedRevisions {
  readonly #rejections = new Map<string, Rejection[]>();
  #unnoticed: Rejection[] = [];
  #lastTicket = 0;

  /** Returns the sequence number of the next append; appends are validated in this order. */
  nextTicket(): number {
    this.#lastTicket += 1;
    return this.#lastTicket;
  }

  add(unit: AppendUnit): void {
    if (this.#unnoticed.length === 0) setImmediate(() => this.#markNoticed());
    for (const append of unit) {
      const [first, last] = [append.expectedRevision + 1, computeRevisionAfter(append)];
      const rejection = { first, last, lastTicket: Infinity };
      const earlier = this.#rejections.get(append.stream);
      if (earlier === undefined) this.#rejections.set(append.stream, [rejection]);
      else earlier.push(rejection);
      this.#unnoticed.push(rejection);
    }
  }

  /** Returns whether an append builds on a rejected revision without the knowledge of its writer. */
  isStale({ stream, expectedRevision }: StreamAppend, ticket: number): boolean {
    if (this.#rejections.size === 0) return false;
    const rejections = this.#rejections.get(stream) ?? [];
    return rejections.some(
      ({ first, last, lastTicket }) => first <= expectedRevision && expectedRevision <= last && ticket <= lastTicket,
    );
  }

  /** Removes the rejections that only affect appends before `ticket`, which are all processed. */
  forgetBefore(ticket: number): void {
    // Many units can be rejected at once: the list is searched when the writers have noticed.
    if (this.#unnoticed.length > 0) return;
    for (const [stream, rejections] of this.#rejections) {
      const remaining = rejections.filter(({ lastTicket }) => lastTicket >= ticket);
      if (remaining.length === 0) this.#rejections.delete(stream);
      else if (remaining.length < rejections.length) this.#rejections.set(stream, remaining);
    }
  }

  #markNoticed(): void {
    for (const rejection of this.#unnoticed) rejection.lastTicket = this.#lastTicket;
    this.#unnoticed = [];
  }
}
