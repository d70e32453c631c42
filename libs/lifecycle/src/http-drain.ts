import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { WakeUp } from '@settle/concurrency';
import { LIMITS } from '@settle/config';

/**
 * Ends connections of an HTTP server without failed requests: it still serves, and tells the client that the connection
 * ends with the response, so that no client sends on a connection that is being closed.
 */
export class HttpDrain {
  readonly #inProgress = new Set<ServerResponse>();
  readonly #endsAtMs = new WeakMap<Socket, number>();
  /** Node's own count lacks the connections that another process has accepted. */
  #connections = 0;
  #isDraining = false;
  readonly #change = new WakeUp();

  /** Create it before the server listens. */
  constructor(server: Server) {
    server.on('connection', (socket: Socket) => {
      this.#connections += 1;
      socket.once('close', () => {
        this.#connections -= 1;
        this.#change.wake();
      });
    });
    server.prependListener('request', ({ socket }, response) => {
      if (this.#isDraining || this.#isOver(socket)) this.#endWith(response, socket);
      this.#inProgress.add(response);
      response.once('close', () => {
        this.#inProgress.delete(response);
        if (response.statusCode === 503) this.#endSoon(socket);
        this.#change.wake();
      });
    });
  }

  /** Ends a connection with its first response after this time, as of `performance.now()`; sooner after a 503. */
  endAfter(socket: Socket, atMs: number): void {
    this.#endsAtMs.set(socket, atMs);
  }

  /** Returns the unfinished responses on a connection, in the order of their requests. */
  responsesOn(socket: Duplex): ServerResponse[] {
    return [...this.#inProgress].filter(({ req }) => req.socket === socket);
  }

  /** Resolves once no client is connected, the remaining ones have been idle for a moment, or the time is up. */
  async drain(): Promise<void> {
    const { idleWaitMs, requestsWaitMs } = LIMITS.drain;
    this.#isDraining = true;
    for (const response of this.#inProgress) this.#endWith(response, response.req.socket);
    const startedAtMs = performance.now();
    while (this.#connections > 0) {
      const spentMs = performance.now() - startedAtMs;
      const endsAfterMs = this.#inProgress.size > 0 ? requestsWaitMs : idleWaitMs;
      if (spentMs >= endsAfterMs) return;
      await this.#change.wait(endsAfterMs - spentMs);
    }
  }

  /**
   * An instance that is not ready does not keep its clients: a connection ends with a response once the client may send
   * the request again. Not at once: in an overload every request would open a connection.
   */
  #endSoon(socket: Socket): void {
    const endsAtMs = this.#endsAtMs.get(socket);
    if (endsAtMs === undefined) return;
    this.#endsAtMs.set(socket, Math.min(endsAtMs, performance.now() + LIMITS.gateway.retryAfterSeconds * 1_000));
  }

  #isOver(socket: Socket): boolean {
    const endsAtMs = this.#endsAtMs.get(socket);
    return endsAtMs !== undefined && performance.now() >= endsAtMs;
  }

  /** The last of several requests on one connection gets its response too. */
  #endWith(response: ServerResponse, socket: Socket): void {
    for (const earlier of this.responsesOn(socket)) if (!earlier.headersSent) earlier.removeHeader('connection');
    if (!response.headersSent) response.setHeader('connection', 'close');
  }
}
