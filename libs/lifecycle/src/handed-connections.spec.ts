import { EventEmitter, once } from 'node:events';
import { createServer as createHttpServer, type Server as HttpServer } from 'node:http';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { HandedConnections, type ConnectionMessage, type ParentChannel } from './handed-connections.js';
import { HttpDrain } from './http-drain.js';

/** The channel of a child process, seen from the child. */
class Parent extends EventEmitter {
  connected = true;
  readonly told: string[] = [];

  send({ connections }: ConnectionMessage): boolean {
    this.told.push(connections);
    return this.emit('told', connections);
  }

  tell(connections: ConnectionMessage['connections'], socket?: Socket): void {
    this.emit('message', { connections }, socket);
  }
}

let listener: Server;
let http: HttpServer;
let drain: HttpDrain;
let parent: Parent;
let handed: HandedConnections;
let client: Socket;

beforeEach(async () => {
  listener = createServer({ pauseOnConnect: true }).listen(0, '127.0.0.1');
  http = createHttpServer((_request, response) => response.end('served')).listen(0, '127.0.0.1');
  drain = new HttpDrain(http);
  parent = new Parent();
  handed = new HandedConnections(http, drain, parent as unknown as ParentChannel);
  await Promise.all([once(listener, 'listening'), once(http, 'listening')]);
});
afterEach(() => {
  client.destroy();
  listener.close();
  http.close();
  http.closeAllConnections();
});

/** A connection that another server has accepted. */
async function accepted(): Promise<Socket> {
  client = connect((listener.address() as AddressInfo).port, '127.0.0.1').setEncoding('utf8');
  const [socket] = (await once(listener, 'connection')) as [Socket];
  return socket;
}

describe('connections that another process has accepted', () => {
  it('given an offer, when a connection is handed over, then it is served and the next one is asked for', async () => {
    parent.tell('offered');
    parent.tell('here', (await accepted()).resume());
    client.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
    expect(String((await once(client, 'data'))[0])).toMatch(/^HTTP\/1.1 200 [^]*served$/);
    expect(parent.told).toEqual(['next', 'next']);
  });

  it('given a client that has gone meanwhile, when its connection is handed over, then the next one is asked for', async () => {
    await accepted();
    parent.tell('offered');
    parent.tell('here');
    expect(parent.told).toEqual(['next', 'next']);
  });

  it('given connections that arrive, when the parent says that each was sent, then the next one is asked for once', async () => {
    parent.tell('offered');
    for (let count = 0; count < 2; count += 1) {
      parent.tell('here', (await accepted()).resume());
      parent.tell('sent');
    }
    expect(parent.told).toEqual(['next', 'next', 'next']);
  });

  it('given a connection that is lost on its way, when the parent says that it was sent, then the next one is asked for', async () => {
    await accepted();
    parent.tell('offered');
    parent.tell('sent');
    parent.tell('sent');
    expect(parent.told).toEqual(['next', 'next', 'next']);
  });

  it('given a process that ends, when an offer comes late, then it has had enough', async () => {
    await accepted();
    await handed.end();
    parent.tell('offered');
    expect(parent.told).toEqual(['enough']);
  });

  it('given a connection on its way, when this process ends, then it waits for it and drains it', async () => {
    parent.tell('offered');
    parent.once('told', () => {
      void accepted().then((socket) => {
        parent.tell('here', socket.resume());
        parent.tell('over');
      });
    });
    await handed.end();
    const drained = drain.drain();
    client.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
    expect(String((await once(client, 'data'))[0])).toMatch(/connection: close[^]*served$/i);
    await drained;
    expect(parent.told).toEqual(['next', 'enough', 'next']);
  });

  it('given a parent process that ends, when this process ends, then it waits no longer', async () => {
    await accepted();
    parent.tell('offered');
    const ended = handed.end().then(() => 'ended');
    parent.emit('disconnect');
    // A turn is shorter than any timer.
    expect(await Promise.race([ended, turn('waits')])).toBe('ended');
  });

  it('given a parent process that offers nothing, when this process ends, then nothing is sent', async () => {
    await accepted();
    await handed.end();
    expect(parent.told).toEqual([]);
  });
});
