import type { Socket } from 'node:net';
import { LIMITS } from '@settle/config';
import { SettleError } from '@settle/contracts';
import { callerAtAddress, closeWithResponse } from '@settle/lifecycle';

interface Waiting {
  readonly socket: Socket;
  readonly timer: NodeJS.Timeout;
}

const NO_INSTANCE_AVAILABLE = new SettleError(
  'service_unavailable',
  'No instance is available at the moment. Try again shortly.',
);

/** Connections that wait for an instance. Callers get their turns, so that a flood from one address delays no other. */
export class WaitingConnections {
  readonly #byCaller = new Map<string, Waiting[]>();
  #count = 0;

  constructor(private readonly waitMs: number) {}

  /** Adds a connection, which is refused with 503 when its time is up, or at once when too many wait. */
  add(socket: Socket): void {
    const caller = callerAtAddress(socket.remoteAddress);
    const timer = setTimeout(() => this.#refuseFirstOf(caller), this.waitMs);
    const ofCaller = this.#byCaller.get(caller);
    if (ofCaller === undefined) this.#byCaller.set(caller, [{ socket, timer }]);
    else ofCaller.push({ socket, timer });
    this.#count += 1;
    if (this.#count > LIMITS.gateway.connectionsWaiting) this.#refuseFirstOf(this.#callerWithMost());
  }

  /** Takes the connection whose turn it is; null if none waits. */
  take(): Socket | null {
    const [caller] = this.#byCaller.keys();
    return caller === undefined ? null : this.#takeFirstOf(caller);
  }

  /** Refuses all connections. */
  refuseAll(): void {
    for (const caller of this.#byCaller.keys()) while (this.#byCaller.has(caller)) this.#refuseFirstOf(caller);
  }

  /** The oldest of a caller; the caller's turn is the last one then. */
  #takeFirstOf(caller: string): Socket | null {
    const ofCaller = this.#byCaller.get(caller) ?? [];
    const first = ofCaller.shift();
    this.#byCaller.delete(caller);
    if (ofCaller.length > 0) this.#byCaller.set(caller, ofCaller);
    if (first === undefined) return null;
    this.#count -= 1;
    clearTimeout(first.timer);
    return first.socket;
  }

  #refuseFirstOf(caller: string): void {
    const socket = this.#takeFirstOf(caller);
    if (socket === null) return;
    socket.on('error', () => undefined).resume();
    closeWithResponse(socket, NO_INSTANCE_AVAILABLE);
  }

  #callerWithMost(): string {
    const callers = [...this.#byCaller].map(([caller, { length }]) => ({ caller, length }));
    return callers.reduce((most, next) => (next.length > most.length ? next : most)).caller;
  }
}
