import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A public port that gives each new connection to one instance, as a load balancer does while instances are replaced. */
export class SwitchedPort {
  readonly #sockets = new Set<Socket>();
  #target = 0;

  private constructor(private readonly server: Server) {}

  static async listen(): Promise<SwitchedPort> {
    const server = createServer();
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const port = new SwitchedPort(server);
    server.on('connection', (client) => port.#join(client));
    return port;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Connections that exist stay where they are. */
  leadTo(port: number): void {
    this.#target = port;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }

  #join(client: Socket): void {
    const instance = connect(this.#target, '127.0.0.1');
    for (const [from, to] of [
      [client, instance],
      [instance, client],
    ] as const) {
      this.#sockets.add(from);
      from.setNoDelay().pipe(to);
      // The other side learns of it.
      from.once('error', () => to.destroy());
      from.once('close', () => this.#sockets.delete(from));
    }
  }
}
