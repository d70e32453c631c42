import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** One direction of a connection. Bytes that arrive while the path is frozen are held. */
interface Direction {
  readonly to: Socket;
  readonly held: Buffer[];
  /** Whether the sender has closed the connection, which is delivered after the bytes. */
  hasEnded: boolean;
}

/** The text of the message in which the path freezes, and how many bytes after the text still pass. */
interface Cut {
  readonly text: string;
  readonly bytesAfter: number;
  readonly done: () => void;
}

/**
 * A network path to a server, for specs. It can freeze inside a message of the client, in both directions
 * and for new connections, while every socket stays open, and deliver the held bytes later, as networks do.
 */
export class FreezingPath {
  readonly #sockets = new Set<Socket>();
  readonly #directions = new Set<Direction>();
  #cut: Cut | null = null;
  #isFrozen = false;

  private constructor(
    private readonly server: Server,
    /** The server's URL with host and port of the path. */
    readonly url: string,
    private target: URL,
  ) {}

  static async to(url: string): Promise<FreezingPath> {
    const target = new URL(url);
    const server = createServer({ allowHalfOpen: true });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const own = new URL(url);
    // Without the socket that the URL may name.
    own.searchParams.delete('host');
    own.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const path = new FreezingPath(server, own.href, target);
    server.on('connection', (client) => path.#join(client));
    return path;
  }

  /** Gives new connections to another server, as a load balancer does. Existing ones stay where they are. */
  leadTo(url: string): void {
    this.target = new URL(url);
  }

  /** Freezes in the next message of a client that contains `text`, so many bytes after it. Resolves when it is frozen. */
  freezeInside(text: string, bytesAfter: number): Promise<void> {
    return new Promise((done) => (this.#cut = { text, bytesAfter, done }));
  }

  /** Delivers the held bytes in order, and everything from then on. */
  thaw(): void {
    this.#isFrozen = false;
    for (const { to, held, hasEnded } of this.#directions) {
      for (const bytes of held.splice(0)) to.write(bytes);
      if (hasEnded) to.end();
    }
    for (const socket of this.#sockets) socket.resume();
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }

  #join(client: Socket): void {
    const { port, hostname: host } = this.target;
    const server = connect({ port: Number(port), host, allowHalfOpen: true });
    this.#pass(client, server, true);
    this.#pass(server, client, false);
  }

  #pass(from: Socket, to: Socket, isFromClient: boolean): void {
    const direction: Direction = { to, held: [], hasEnded: false };
    this.#directions.add(direction);
    this.#sockets.add(from);
    from.on('data', (bytes: Buffer) => this.#forward(direction, bytes, isFromClient));
    from.on('error', () => undefined);
    from.on('end', () => this.#end(direction));
    from.on('close', () => {
      this.#sockets.delete(from);
      this.#end(direction);
    });
    to.on('close', () => this.#directions.delete(direction));
    if (this.#isFrozen) from.pause();
  }

  #end(direction: Direction): void {
    if (this.#isFrozen) direction.hasEnded = true;
    else direction.to.end();
  }

  #forward({ to, held }: Direction, bytes: Buffer, isFromClient: boolean): void {
    if (this.#isFrozen) {
      held.push(bytes);
      return;
    }
    const textAt = isFromClient && this.#cut !== null ? bytes.indexOf(this.#cut.text) : -1;
    if (this.#cut === null || textAt < 0) {
      to.write(bytes);
      return;
    }
    const { text, bytesAfter, done } = this.#cut;
    this.#cut = null;
    this.#isFrozen = true;
    const passing = textAt + text.length + bytesAfter;
    for (const socket of this.#sockets) socket.pause();
    held.push(bytes.subarray(passing));
    to.write(bytes.subarray(0, passing), done);
  }
}
