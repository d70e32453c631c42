/** The positions of a unit in the queues of its streams. */
export interface QueuePositions {
  /** Resolves when all earlier units have left the queue of this stream. */
  waitForTurn(stream: string): Promise<void>;
  leave(stream: string): void;
  leaveAll(): void;
}

/**
 * One queue per stream. A unit with several streams joins all their queues at once, which prevents deadlocks.
 */
export class StreamQueues {
  readonly #last = new Map<string, Promise<void>>();

  enqueue(streams: Iterable<string>): QueuePositions {
    const earlier = new Map<string, Promise<void>>();
    const leaveByStream = new Map<string, () => void>();
    for (const stream of new Set(streams)) {
      earlier.set(stream, this.#last.get(stream) ?? Promise.resolve());
      leaveByStream.set(stream, this.#enqueueIn(stream));
    }
    const leave = (stream: string) => leaveByStream.get(stream)?.();
    return {
      waitForTurn: (stream) => earlier.get(stream) ?? Promise.resolve(),
      leave,
      leaveAll: () => {
        for (const stream of leaveByStream.keys()) leave(stream);
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
