import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { LIMITS } from '@settle/config';
import { HttpDrain, guardConnections, findProtocolError, findTransferEncodingError } from '@settle/lifecycle';
import { Backend, leastBusy } from './backend.js';
import { ProxiedRequest, type Forwarding } from './proxied-request.js';
import { NO_INSTANCE_AVAILABLE, refuse } from './refusal.js';

const { gateway, stack } = LIMITS;

export interface ReverseProxyOptions {
  readonly host: string;
  readonly port: number;
  /** What becomes of a word on where a request came from. */
  readonly forwarding: Forwarding;
}

/** One address in front of the instances of a service. Each request goes to one of them, see `leastBusy`. */
export class ReverseProxy {
  readonly #backends = new Map<string, Backend>();
  readonly #server: Server;
  readonly #drain: HttpDrain;
  /** Requests of each client's address that are not over. */
  readonly #inProgressOf = new Map<string, number>();
  #list: Backend[] = [];
  #turn = 0;

  private constructor(forwarding: Forwarding) {
    const server = createServer({
      maxHeaderSize: gateway.headersBytes,
      headersTimeout: gateway.headersTimeoutMs,
      requestTimeout: gateway.requestTimeoutMs,
      keepAliveTimeout: gateway.keepAliveMs,
      connectionsCheckingInterval: 1_000,
    });
    this.#server = server;
    this.#drain = new HttpDrain(server);
    guardConnections(server, this.#drain);
    server.on('request', (request, response) => {
      const address = request.socket.remoteAddress ?? '';
      const hasFew = (this.#inProgressOf.get(address) ?? 0) < stack.fewRequests;
      const choose = (tried: ReadonlySet<Backend> | null) =>
        leastBusy(this.#list, { turn: (this.#turn += 1), tried, hasFew });
      // Either would be lost on the way: the next connection has a framing of its own.
      const problem = findProtocolError(request) ?? findTransferEncodingError(request);
      const backend = choose(null);
      if (problem !== null) refuse(response, problem);
      else if (backend === null) refuse(response, NO_INSTANCE_AVAILABLE);
      else new ProxiedRequest({ request, response, choose, forwarding, onOver: this.#count(address) }).through(backend);
    });
  }

  /** Listens. Rejects with Node's error when it cannot. */
  static async listen({ host, port, forwarding }: ReverseProxyOptions): Promise<ReverseProxy> {
    const front = new ReverseProxy(forwarding);
    await new Promise<void>((resolve, reject) => {
      front.#server.once('error', reject);
      front.#server.listen({ host, port, exclusive: true, backlog: gateway.connectionsWaiting }, resolve);
    });
    return front;
  }

  /** Counts a request of an address, until what is returned is called. */
  #count(address: string): () => void {
    this.#inProgressOf.set(address, (this.#inProgressOf.get(address) ?? 0) + 1);
    return () => {
      const left = (this.#inProgressOf.get(address) ?? 1) - 1;
      if (left > 0) this.#inProgressOf.set(address, left);
      else this.#inProgressOf.delete(address);
    };
  }

  /** Where it is reached from this machine. */
  get url(): string {
    const { address, family, port } = this.#server.address() as AddressInfo;
    const isAnywhere = address === '0.0.0.0' || address === '::';
    if (isAnywhere) return `http://127.0.0.1:${port}`;
    return family === 'IPv6' ? `http://[${address}]:${port}` : `http://${address}:${port}`;
  }

  /** Makes an instance known, which is not ready yet. */
  add(name: string, url: string): void {
    this.#backends.set(name, new Backend(url));
    this.#list = [...this.#backends.values()];
  }

  setReady(name: string, isReady: boolean): void {
    const backend = this.#backends.get(name);
    if (backend !== undefined) backend.isReady = isReady;
  }

  /** Gives an instance nothing new, and resolves once everything that it was given is answered, within bounds. */
  async remove(name: string): Promise<void> {
    const backend = this.#backends.get(name);
    this.#backends.delete(name);
    this.#list = [...this.#backends.values()];
    await backend?.drain();
  }

  /** Takes no more connections, lets running requests finish within bounds, and lets the instances go. */
  async close(): Promise<void> {
    await this.#drain.drain();
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
    await Promise.all([...this.#backends.keys()].map((name) => this.remove(name)));
  }
}
