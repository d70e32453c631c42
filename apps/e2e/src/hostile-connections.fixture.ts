import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { baseUrl } from './client.js';

/** A connection that was closed answers what is written to it with a reset. */
const PROBE = 'GET / HTTP/1.1\r\nhost: x\r\n\r\n';
const PROBE_EVERY_MS = 250;
const CONNECTIONS_AT_ONCE = 50;

export interface HostilePlan {
  readonly connections: number;
  /** The bytes that each sends, and nothing after them. */
  readonly bytes: string;
  /** Addresses of this machine that they come from, in turn. */
  readonly from?: readonly string[];
}

/** One request as it goes out; `from` is an address that a trusted proxy would report. */
export function rawGet(path: string, from?: string): string {
  const forwarded = from === undefined ? '' : `x-forwarded-for: ${from}\r\n`;
  return `GET ${path} HTTP/1.1\r\nhost: x\r\n${forwarded}\r\n`;
}

/** The path of the largest file that the product serves. */
export async function largestFile(): Promise<string> {
  const page = await (await fetch(new URL('/docs', baseUrl()))).text();
  const [path] = /\/docs\/[^"]+bundle\.js/.exec(page) ?? [];
  if (path === undefined) throw new Error(`The reference loads no bundle: ${page}`);
  return path;
}

/**
 * Resolves once the product has accepted all connections that were opened before: it takes them in turn, and this one is
 * the last. Without it the queue of a busy machine overflows, and what is measured is how long a connection takes.
 */
async function accepted(): Promise<void> {
  const asked = get(new URL('/docs/start.js', baseUrl()), { agent: false });
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  response.resume();
}

/** Connections that send their bytes and then neither read nor finish anything. */
export class HostileConnections {
  private constructor(private readonly sockets: readonly Socket[]) {}

  /** Opens them all and sends their bytes; resolves once all are accepted. */
  static async open({ connections, bytes, from = ['127.0.0.1'] }: HostilePlan): Promise<HostileConnections> {
    const { hostname: host, port } = new URL(baseUrl());
    const sockets: Socket[] = [];
    const openNext = async (index: number) => {
      const socket = connect({ host, port: Number(port), localAddress: from[index % from.length] ?? host });
      socket.on('error', () => undefined);
      sockets.push(socket);
      await once(socket, 'connect');
      // Node would else read the first 64 KiB ahead.
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

  /** Resolves once the product has closed all of them, though nothing is read. */
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
