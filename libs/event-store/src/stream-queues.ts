/** The positions of a unit in the queues of its streams. */
export type QueuePositions = ReturnType<StreamQueues['enqueue']>;

/**
 * One queue per stream. A unit with several streams joins all their queues at once, which prevents deadlocks.
 */
export class StreamQueues {
  readonly #last = new Map<string, Promise<void>>();

  enqueue(streams: readonly string[]) {
    const positions = new Map([...new Set(streams)].map((stream) => [stream, this.#enqueueIn(stream)]));
    return {
      /** Resolves when all earlier units have left the queue of this stream. */
      waitForTurn: async (stream: string) => positions.get(stream)?.earlier,
      leave: (stream: string) => positions.get(stream)?.leave(),
      leaveAll: () => positions.forEach(({ leave }) => leave()),
    };
  }

  #enqueueIn(stream: string) {
    const earlier = this.#last.get(stream);
    const { promise: left, resolve } = Promise.withResolvers<void>();
    this.#last.set(stream, left);
    const leave = () => {
      resolve();
      if (this.#last.get(stream) === left) this.#last.delete(stream);
    };
    return { earlier, leave };
  }
}
