import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Ports from which no usual system takes those of outgoing connections and of servers without a port of their own: until
 * the process that a port was drawn for listens on it, such a one could take it.
 */
const RANGE = { first: 16_000, count: 11_000 };
/** Processes that draw at the same time begin at different places, and each draws one port after the other. */
let next = randomInt(RANGE.count);

/** Returns a port of loopback on which nothing listens now: this one, or any for 0. Rejects if it is in use. */
export async function freePort(port = 0): Promise<number> {
  if (port !== 0) return tryToListen(port);
  for (let tries = 1; ; tries += 1) {
    const drawn = RANGE.first + next;
    next = (next + 1) % RANGE.count;
    try {
      return await tryToListen(drawn);
    } catch (error) {
      if (tries >= RANGE.count) throw error;
    }
  }
}

/** Listens on the port for a moment and returns it. Rejects if it is in use. */
async function tryToListen(port: number): Promise<number> {
  const server = createServer().listen({ port, host: '127.0.0.1', exclusive: true });
  await once(server, 'listening');
  await once(server.close(), 'close');
  return port;
}
