import type { Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { LIMITS } from '@settle/config';

/**
 * Ends an HTTP server without failed requests. While it drains it still serves, and tells each client that the
 * connection ends with the response, so that no client sends on a connection that is being closed.
 */
export class HttpDrain {
  readonly #inProgress = new Set<ServerResponse>();
  #isDraining = false;
  #onChange: () => void = () => undefined;

  /** Create it before the server listens. */
  constructor(private readonly server: Server) {
    server.prependListener('request', (_request, response) => {
      this.#inProgress.add(response);
      if (this.#isDraining) endWith(response);
      response.once('close', () => {
        this.#inProgress.delete(response);
        this.#onChange();
      });
    });
  }

  /** Returns the unfinished responses on a connection, in the order of their requests. */
  responsesOn(socket: Duplex): ServerResponse[] {
    return [...this.#inProgress].filter(({ req }) => req.socket === socket);
  }

  /** Resolves once no client is connected, the remaining ones have been idle for a moment, or the time is up. */
  async drain(): Promise<void> {
    const { idleWaitMs, requestsWaitMs } = LIMITS.drain;
    this.#isDraining = true;
    for (const response of this.#inProgress) endWith(response);
    const startedAtMs = performance.now();
    while ((await this.#connections()) > 0) {
      const spentMs = performance.now() - startedAtMs;
      const endsAfterMs = this.#inProgress.size > 0 ? requestsWaitMs : idleWaitMs;
      if (spentMs >= endsAfterMs) return;
      await this.#changed(Math.min(LIMITS.drain.lookEveryMs, endsAfterMs - spentMs));
    }
  }

  #connections(): Promise<number> {
    return new Promise((resolve) => this.server.getConnections((_error, count) => resolve(count ?? 0)));
  }

  #changed(atMostMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, atMostMs);
      this.#onChange = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

function endWith(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('connection', 'close');
}
