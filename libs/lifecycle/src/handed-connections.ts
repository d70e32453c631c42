import type { Server } from 'node:http';
import { Socket } from 'node:net';
import { LIMITS } from '@settle/config';
import type { HttpDrain } from './http-drain.js';

/**
 * The messages between a process that listens and a child process that serves: the parent offers connections; the child
 * asks for the next one and gets it with the message, until it has had enough and the parent confirms that none follows.
 */
export interface ConnectionMessage {
  readonly connections: 'offered' | 'next' | 'here' | 'enough' | 'over';
}

/** This process's side of the channel to its parent. */
export type ParentChannel = Pick<NodeJS.Process, 'on' | 'connected' | 'send'>;

const { connectionLifeMs, connectionLifeSpreadMs } = LIMITS.stack;

/**
 * Serves the connections that the parent process has accepted. Each ends after a while with a response, so that its
 * client connects anew and a process that was added since gets a part of the load.
 */
export class HandedConnections {
  #isOffered = false;
  #isOver: () => void = () => undefined;

  constructor(
    server: Server,
    http: HttpDrain,
    private readonly parent: ParentChannel = process,
  ) {
    parent.on('message', (message: Partial<ConnectionMessage> | null, socket: unknown) => {
      if (message?.connections === 'over') this.#isOver();
      if (message?.connections !== 'offered' && message?.connections !== 'here') return;
      // Absent if the client has gone meanwhile.
      if (socket instanceof Socket) {
        socket.allowHalfOpen = true;
        http.endAfter(socket, performance.now() + connectionLifeMs + Math.random() * connectionLifeSpreadMs);
        server.emit('connection', socket);
      }
      if (message.connections === 'offered') this.#isOffered = true;
      this.#tell('next');
    });
  }

  /** Takes no more connections. Resolves once all that were handed over have arrived. */
  async end(): Promise<void> {
    if (!this.#isOffered || !this.parent.connected) return;
    this.#isOffered = false;
    const isOver = new Promise<void>((resolve) => (this.#isOver = resolve));
    this.parent.on('disconnect', this.#isOver);
    const timer = setTimeout(this.#isOver, LIMITS.drain.handOverWaitMs);
    this.#tell('enough');
    await isOver;
    clearTimeout(timer);
  }

  #tell(connections: ConnectionMessage['connections']): void {
    // The parent may have ended: then this process is about to end, too.
    if (this.parent.connected) this.parent.send?.({ connections }, undefined, undefined, () => undefined);
  }
}
