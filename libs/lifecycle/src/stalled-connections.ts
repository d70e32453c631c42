import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { LIMITS } from '@settle/config';

/** Number of checks of a connection within the time that it may stall. */
const CHECKS = 10;

/** libuv's view of a socket, which Node's inactivity timer reads, too; Node does not declare it. */
interface SocketHandle {
  /** Bytes handed to libuv. */
  readonly bytesWritten: number;
  /** Bytes of those that the kernel has not taken yet. */
  readonly writeQueueSize: number;
}

interface Progress {
  /** Bytes sent at the last check; -1: nothing was waiting. */
  sentBytes: number;
  /** Number of checks since then that found no progress. Not a time: while this process is suspended, nothing is sent. */
  checks: number;
}

/**
 * Closes connections whose client reads nothing of a response for `stallMs` milliseconds, because those would be kept
 * forever. A client that reads slowly stays. One timer checks all connections, so that a request costs nothing. Call it
 * before the server listens.
 */
export function closeStalledConnections(server: Server, stallMs: number = LIMITS.gateway.responseStallMs): void {
  const open = new Map<Socket, Progress>();
  server.on('connection', (socket: Socket) => {
    open.set(socket, { sentBytes: -1, checks: 0 });
    socket.once('close', () => open.delete(socket));
  });
  server.once('listening', () => {
    const timer = setInterval(() => destroyStalled(open), stallMs / CHECKS).unref();
    server.once('close', () => clearInterval(timer));
  });
}

function destroyStalled(open: ReadonlyMap<Socket, Progress>): void {
  for (const [socket, progress] of open) {
    const sentBytes = socket.writableLength === 0 ? -1 : sentBytesOf(socket);
    if (sentBytes !== progress.sentBytes) {
      progress.sentBytes = sentBytes;
      progress.checks = 0;
    } else if (sentBytes !== -1 && (progress.checks += 1) >= CHECKS) socket.destroy();
  }
}

/** Counts progress within one large write, which is a single chunk for the stream. */
function sentBytesOf(socket: Socket): number {
  const { _handle: handle } = socket as { readonly _handle?: SocketHandle | null };
  return handle ? handle.bytesWritten - handle.writeQueueSize : 0;
}
