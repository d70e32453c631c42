import type { Server } from 'node:http';
import { Socket } from 'node:net';
import { settlesWithin } from '@settle/concurrency';
import { LIMITS } from '@settle/config';
import type { HttpDrain } from './http-drain.js';

/**
 * The messages between a process that listens and a child process that serves: the parent offers connections; the child
 * asks for the next one and gets it with the message, until it has had enough and the parent confirms that none follows.
 * `sent` follows each connection on its own: the message of a connection that the child has no descriptor for is lost.
 */
export interface ConnectionMessage {
  readonly connections: 'offered' | 'next' | 'here' | 'sent' | 'enough' | 'over';
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
  #hasEnded = false;
  /** The connection that was sent last is here, and the next one has been asked for. */
  #hasArrived = false;
  #isOver: () => void = () => undefined;

  constructor(
    server: Server,
    http: HttpDrain,
    private readonly parent: ParentChannel = process,
  ) {
    parent.on('message', (message: Partial<ConnectionMessage> | null, socket: unknown) => {
      if (message?.connections === 'over') this.#isOver();
      if (message?.connections === 'offered') {
        this.#isOffered = true;
        this.#tell(this.#hasEnded ? 'enough' : 'next');
      } else if (message?.connections === 'here') {
        // Absent if the client has gone meanwhile.
        if (socket instanceof Socket) {
          socket.allowHalfOpen = true;
          http.endAfter(socket, performance.now() + connectionLifeMs + Math.random() * connectionLifeSpreadMs);
          server.emit('connection', socket);
        }
        // Not only with `sent`, which comes a round trip later: that would halve the rate of new connections.
        this.#hasArrived = true;
        this.#tell('next');
      } else if (message?.connections === 'sent') {
        if (!this.#hasArrived) this.#tell('next');
        this.#hasArrived = false;
      }
    });
  }

  /** Takes no more connections. Resolves once all that were handed over have arrived. */
  async end(): Promise<void> {
    this.#hasEnded = true;
    if (!this.#isOffered || !this.parent.connected) return;
    this.#isOffered = false;
    const isOver = new Promise<void>((resolve) => (this.#isOver = resolve));
    this.parent.on('disconnect', this.#isOver);
    this.#tell('enough');
    await settlesWithin(isOver, LIMITS.drain.handOverWaitMs);
  }

  #tell(connections: ConnectionMessage['connections']): void {
    // The parent may have ended: then this process is about to end, too.
    if (this.parent.connected) this.parent.send?.({ connections }, undefined, undefined, () => undefined);
  }
}
