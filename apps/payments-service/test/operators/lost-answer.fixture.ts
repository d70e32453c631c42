import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface LostAnswer {
  /** The database's address, through it. */
  readonly url: string;
  /** Answers that were lost. */
  readonly lost: () => number;
  readonly close: () => void;
}

/**
 * Stands between a client and the database: of the first connection that says `marked` and then `commit`, the server
 * gets the commit and the client its connection's end in place of the answer.
 */
export async function loseAnswerOfCommit(url: string, marked: string): Promise<LostAnswer> {
  const [{ port, hostname }, through] = [new URL(url), new URL(url)];
  const sockets = new Set<Socket>();
  let lost = 0;
  const server = createServer((client) => {
    const database = connect(Number(port), hostname);
    let [isMarked, isCommitting] = [false, false];
    client.on('data', (data) => {
      isMarked ||= data.includes(marked);
      isCommitting = lost === 0 && isMarked && data.includes('commit');
      database.write(data);
    });
    database.on('data', (data) => {
      if (!isCommitting) return client.write(data);
      lost += 1;
      client.destroy();
    });
    for (const [socket, other] of [
      [client, database],
      [database, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => (sockets.delete(socket), other.destroy()));
    }
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  through.search = '';
  through.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return { url: through.href, lost: () => lost, close };
}
