import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { baseUrl } from './client.js';

/** A write to a closed connection is answered with a reset. */
const PROBE = 'GET / HTTP/1.1\r\nhost: x\r\n\r\n';
const PROBE_EVERY_MS = 250;
const CONNECTIONS_AT_ONCE = 50;

export interface HostilePlan {
  readonly connections: number;
  /** The bytes that each connection sends; it sends nothing after them. */
  readonly bytes: string;
  /** Local addresses of the connections, in turn. */
  readonly from?: readonly string[];
}

/** Returns the bytes of one request; `from` is an address that a trusted proxy would report. */
export function rawGet(path: string, from?: string): string {
  const forwarded = from === undefined ? '' : `x-forwarded-for: ${from}\r\n`;
  return `GET ${path} HTTP/1.1\r\nhost: x\r\n${forwarded}\r\n`;
}

/** Returns the path of the largest file that the product serves. */
export async function largestFile(): Promise<string> {
  const page = await (await fetch(new URL('/docs', baseUrl()))).text();
  const [path] = /\/docs\/[^"]+bundle\.js/.exec(page) ?? [];
  if (path === undefined) throw new Error(`The reference loads no bundle: ${page}`);
  return path;
}

/**
 * Resolves once the product has accepted all connections that were opened before: it accepts them in order, and this one is
 * the last. Without it the accept queue of a busy machine overflows, and the spec measures the time to connect.
 */
async function accepted(): Promise<void> {
  const probe = get(new URL('/docs/start.js', baseUrl()), { agent: false });
  const [response] = (await once(probe, 'response')) as [IncomingMessage];
  response.resume();
}

/** Connections that send their bytes and then neither read nor complete a request. */
export class HostileConnections {
  private constructor(private readonly sockets: readonly Socket[]) {}

  /** Opens all connections and sends their bytes. Resolves once all are accepted. */
  static async open({ connections, bytes, from = ['127.0.0.1'] }: HostilePlan): Promise<HostileConnections> {
    const { hostname: host, port } = new URL(baseUrl());
    const sockets: Socket[] = [];
    const openNext = async (index: number) => {
      const socket = connect({ host, port: Number(port), localAddress: from[index % from.length] ?? host });
      socket.on('error', () => undefined);
      sockets.push(socket);
      await once(socket, 'connect');
      // Otherwise Node would read the first 64 KiB ahead.
      socket.pause();
      if (bytes !== '') socket.write(bytes);
    };
    for (let first = 0; first < connections; first += CONNECTIONS_AT_ONCE) {
      const count = Math.min(CONNECTIONS_AT_ONCE, connections - first);
      await Promise.all(Array.from({ length: count }, (_, index) => openNext(first + index)));
      await accepted();
    }
    return new HostileConnections(sockets);
  }

  get openCount(): number {
    return this.sockets.filter(({ destroyed }) => !destroyed).length;
  }

  /** Resolves once the product has closed all connections, although no bytes are read. */
  async closedByPeer(timeoutMs: number): Promise<void> {
    const deadlineMs = performance.now() + timeoutMs;
    while (this.openCount > 0) {
      if (performance.now() > deadlineMs) throw new Error(`${this.openCount} connections are still open`);
      for (const socket of this.sockets) if (!socket.destroyed) socket.write(PROBE);
      await pause(PROBE_EVERY_MS);
    }
  }

  close(): void {
    for (const socket of this.sockets) socket.destroy();
  }
}
