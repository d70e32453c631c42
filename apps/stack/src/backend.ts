import type { ServerResponse } from 'node:http';
import { LIMITS } from '@settle/config';
import { Pool } from 'undici';

const { stack } = LIMITS;

/** One instance behind a front, with its kept connections. */
export class Backend {
  readonly pool: Pool;
  isReady = false;
  /** Answers of which the client takes no more for now, the longest first. */
  readonly #paused = new Set<ServerResponse>();
  /** Requests that were handed to it and are not over. */
  inProgress = 0;

  constructor(url: string) {
    this.pool = new Pool(url, {
      connections: stack.requestsPerInstance + stack.requestsKeptForFew,
      pipelining: 1,
      connect: { timeout: stack.connectWaitMs },
      headersTimeout: stack.answerWaitMs,
      bodyTimeout: stack.answerWaitMs,
    });
  }

  /**
   * Records that a client has stopped reading a response. The response keeps its connection to the instance, so many of
   * them would leave none for other clients. Above a limit the client that has not read for longest is disconnected.
   */
  pause(response: ServerResponse): void {
    this.#paused.add(response);
    if (this.#paused.size <= stack.answersPaused) return;
    const [longest] = this.#paused;
    if (longest === undefined) return;
    this.#paused.delete(longest);
    // With it end the answers that wait for this one on the same connection.
    longest.req.socket.destroy();
  }

  resume(response: ServerResponse): void {
    this.#paused.delete(response);
  }

  /** Waits within bounds until what it was given is answered, and closes its connections. */
  async drain(): Promise<void> {
    this.isReady = false;
    const timer = setTimeout(() => void this.pool.destroy(), stack.drainWaitMs);
    await this.pool.close().catch(() => undefined);
    clearTimeout(timer);
  }
}

/** For what a backend is chosen. */
export interface Choice {
  /** Grows with each choice. */
  readonly turn: number;
  readonly tried: ReadonlySet<Backend> | null;
  /** Its caller's address has few requests in progress: places are kept for it. */
  readonly hasFew: boolean;
}

/**
 * Returns the least busy instance that was not tried, in turn among equals, or null if none has capacity. Returns one
 * that is not ready only if none is ready: all may be waiting for the same broker.
 */
export function leastBusy(backends: readonly Backend[], { turn, tried, hasFew }: Choice): Backend | null {
  const most = stack.requestsPerInstance + (hasFew ? stack.requestsKeptForFew : 0);
  let best: Backend | null = null;
  for (let step = 0; step < backends.length; step += 1) {
    const backend = backends[(turn + step) % backends.length];
    if (backend === undefined || backend.inProgress >= most || tried?.has(backend)) continue;
    if (best === null || isBetter(backend, best)) best = backend;
  }
  return best;
}

function isBetter(one: Backend, other: Backend): boolean {
  return one.isReady === other.isReady ? one.inProgress < other.inProgress : one.isReady;
}
