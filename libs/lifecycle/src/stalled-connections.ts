import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { LIMITS } from '@settle/config';

/** How often connections are looked at within the time that they may stall. */
const LOOKS = 10;

/** libuv's view of a socket, which Node's own inactivity timer reads as well; Node does not declare it. */
interface SocketHandle {
  /** Bytes that were handed to libuv. */
  readonly bytesWritten: number;
  /** Bytes of those that the kernel has not taken yet. */
  readonly writeQueueSize: number;
}

interface Progress {
  /** Bytes that had left when it was last looked; -1: nothing waited to be sent. */
  sentBytes: number;
  sinceMs: number;
}

/**
 * Closes connections whose client takes nothing of what was written to it for `stallMs` milliseconds: their responses
 * would be held for good. A client that reads slowly stays. One timer looks at all connections, so that a request costs
 * nothing. To be called before the server listens.
 */
export function closeStalledConnections(server: Server, stallMs: number = LIMITS.gateway.responseStallMs): void {
  const open = new Map<Socket, Progress>();
  server.on('connection', (socket: Socket) => {
    open.set(socket, { sentBytes: -1, sinceMs: 0 });
    socket.once('close', () => open.delete(socket));
  });
  server.once('listening', () => {
    const timer = setInterval(() => destroyStalled(open, stallMs), stallMs / LOOKS).unref();
    server.once('close', () => clearInterval(timer));
  });
}

function destroyStalled(open: ReadonlyMap<Socket, Progress>, stallMs: number): void {
  const nowMs = performance.now();
  for (const [socket, progress] of open) {
    const sentBytes = socket.writableLength === 0 ? -1 : sentBytesOf(socket);
    if (sentBytes !== progress.sentBytes) {
      progress.sentBytes = sentBytes;
      progress.sinceMs = nowMs;
    } else if (sentBytes !== -1 && nowMs - progress.sinceMs >= stallMs) socket.destroy();
  }
}

/** Counts within one large write as well, which is one chunk for the stream. */
function sentBytesOf(socket: Socket): number {
  const { _handle: handle } = socket as { readonly _handle?: SocketHandle | null };
  return handle ? handle.bytesWritten - handle.writeQueueSize : 0;
}
