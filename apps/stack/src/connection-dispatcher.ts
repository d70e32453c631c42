import type { ChildProcess } from 'node:child_process';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { LIMITS } from '@settle/config';
import type { ConnectionMessage } from '@settle/lifecycle';
import { WaitingConnections } from './waiting-connections.js';

interface Receiver {
  readonly name: string;
  readonly child: ChildProcess;
  isReady: boolean;
  /** It was ready once; until then its connections would find a service that is still starting. */
  isOffered: boolean;
  /** It has asked for the next connection. */
  isFree: boolean;
  /** The connection that is on its way to it. */
  sent: Socket | null;
}

/**
 * Listens on one address for the instances of a service and hands each connection to one of them, with all that was and
 * will be sent on it: no request passes through this process. A process gets the next connection when it has taken the
 * last one, so a busy process gets fewer.
 */
export class ConnectionDispatcher {
  readonly #server: Server;
  readonly #waiting: WaitingConnections;
  /** The one that was given a connection last comes last. */
  #receivers: Receiver[] = [];

  private constructor(waitMs: number) {
    this.#waiting = new WaitingConnections(waitMs);
    // Nothing is read here: what a client sends belongs to the process that serves it.
    this.#server = createServer({ pauseOnConnect: true, allowHalfOpen: true, noDelay: true }, (socket) => {
      this.#waiting.add(socket);
      this.#dispatch();
    });
  }

  /**
   * Listens. Rejects with Node's error when it cannot.
   * @param waitMs longest wait of a connection for an instance
   */
  static async listen(
    { host, port }: { readonly host: string; readonly port: number },
    waitMs: number = LIMITS.stack.connectionWaitMs,
  ): Promise<ConnectionDispatcher> {
    const dispatcher = new ConnectionDispatcher(waitMs);
    await new Promise<void>((resolve, reject) => {
      const options = { host, port, exclusive: true, backlog: LIMITS.gateway.connectionsWaiting };
      dispatcher.#server.once('error', reject).listen(options, resolve);
    });
    return dispatcher;
  }

  /** Where it is reached from this machine. */
  get url(): string {
    const { address, family, port } = this.#server.address() as AddressInfo;
    const isAnywhere = address === '0.0.0.0' || address === '::';
    if (isAnywhere) return `http://127.0.0.1:${port}`;
    return family === 'IPv6' ? `http://[${address}]:${port}` : `http://${address}:${port}`;
  }

  /** Adds a process of an instance, which gets connections once it is ready. */
  add(name: string, child: ChildProcess): void {
    // A process that could not be started does not exit.
    this.remove(name);
    const receiver: Receiver = { name, child, isReady: false, isOffered: false, isFree: false, sent: null };
    this.#receivers.push(receiver);
    child.on('message', (message: Partial<ConnectionMessage> | null) => {
      if (message?.connections === 'next') {
        receiver.isFree = true;
        receiver.sent?.destroy();
        this.#dispatch();
      } else if (message?.connections === 'enough') {
        this.#remove(receiver);
        tell(child, 'over');
      }
    });
    child.once('exit', () => {
      this.#remove(receiver);
      receiver.sent?.destroy();
    });
  }

  setReady(name: string, isReady: boolean): void {
    const receiver = this.#receivers.find((each) => each.name === name);
    if (receiver === undefined) return;
    receiver.isReady = isReady;
    if (isReady && !receiver.isOffered) tell(receiver.child, 'offered');
    receiver.isOffered ||= isReady;
    this.#dispatch();
  }

  /** Gives an instance no more connections. */
  remove(name: string): void {
    this.#receivers = this.#receivers.filter((receiver) => receiver.name !== name);
  }

  /** Takes no more connections and refuses those that wait. Those that were handed over live on. */
  close(): void {
    this.#server.close();
    this.#waiting.refuseAll();
  }

  #remove(receiver: Receiver): void {
    this.#receivers = this.#receivers.filter((each) => each !== receiver);
  }

  #dispatch(): void {
    for (let receiver = this.#nextFree(); receiver !== undefined; receiver = this.#nextFree()) {
      const socket = this.#waiting.take();
      if (socket === null) return;
      receiver.isFree = false;
      this.#remove(receiver);
      this.#receivers.push(receiver);
      receiver.sent = socket;
      tell(receiver.child, 'here', socket);
      // Goes out once the connection has arrived or is lost, so that the process asks for the next one in any case.
      tell(receiver.child, 'sent');
    }
  }

  /** One that is not ready only if none is: all may be waiting for the same broker, and say so. */
  #nextFree(): Receiver | undefined {
    const isAnyReady = this.#receivers.some(({ isReady }) => isReady);
    return this.#receivers.find(({ isFree, isReady }) => isFree && (isReady || !isAnyReady));
  }
}

/**
 * Sends connections to a process. If it has ended meanwhile, the connection is closed.
 * This process keeps its descriptor until the other asks for the next connection: Node sends one that it is to close
 * again if the other process has no free descriptor, and if that succeeds, the second confirmation ends this process.
 */
function tell(child: ChildProcess, connections: ConnectionMessage['connections'], socket?: Socket): void {
  const message: ConnectionMessage = { connections };
  if (child.connected) child.send(message, socket, { keepOpen: true }, () => undefined);
  else socket?.destroy();
}
