/** The places of one unit in the queues of its streams. */
export interface QueuePositions {
  /** Resolves when everybody who came earlier has left this stream. */
  waitForTurn(stream: string): Promise<void>;
  leave(stream: string): void;
  leaveAll(): void;
}

/**
 * One queue per stream. Whoever names several streams takes a place in each at once, so that nobody can wait for
 * somebody who waits for him.
 */
export class StreamQueues {
  readonly #last = new Map<string, Promise<void>>();

  enqueue(streams: Iterable<string>): QueuePositions {
    const earlier = new Map<string, Promise<void>>();
    const leaving = new Map<string, () => void>();
    for (const stream of new Set(streams)) {
      earlier.set(stream, this.#last.get(stream) ?? Promise.resolve());
      leaving.set(stream, this.#enqueueIn(stream));
    }
    const leave = (stream: string) => leaving.get(stream)?.();
    return {
      waitForTurn: (stream) => earlier.get(stream) ?? Promise.resolve(),
      leave,
      leaveAll: () => {
        for (const stream of leaving.keys()) leave(stream);
      },
    };
  }

  #enqueueIn(stream: string): () => void {
    let resolve = () => {};
    const left = new Promise<void>((done) => (resolve = done));
    this.#last.set(stream, left);
    return () => {
      resolve();
      if (this.#last.get(stream) === left) this.#last.delete(stream);
    };
  }
}
