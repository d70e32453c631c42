import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { LIMITS } from '@settle/config';
import { createDatabaseCheck } from './database-failures.js';

/** Login and answer are each in time; together they are not. */
const SLOW_MS = LIMITS.health.checkWaitMs * 0.6;
const CHECKS_AT_ONCE = 4;

/** A message of PostgreSQL's protocol: type, length, body. */
function message(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5, type);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

const LOGGED_IN = Buffer.concat([message('R', Buffer.alloc(4)), message('Z', Buffer.from('I'))]);
const QUERY = 'Q'.charCodeAt(0);
const columns = Buffer.concat([Buffer.from('\0\x01transaction_read_only\0'), Buffer.alloc(18)]);
const row = Buffer.from('\0\x01\0\0\0\x03off', 'latin1');
const WRITABLE = Buffer.concat([
  message('T', columns),
  message('D', row),
  message('C', Buffer.from('SHOW\0')),
  message('Z', Buffer.from('I')),
]);

/** Stands in for a server, or for a pooler before it, that accepts every login. */
describe('the readiness check of a database whose server is slow', () => {
  let server: Server;
  let answer: (socket: Socket) => Promise<unknown>;
  let loginAfterMs: number;
  let logins: number;
  const sockets = new Set<Socket>();

  beforeEach(async () => {
    [logins, loginAfterMs] = [0, 0];
    answer = async () => undefined;
    server = createServer((socket) => {
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket)).on('error', () => undefined);
      socket.once('data', () => {
        logins += 1;
        void sleep(loginAfterMs).then(() => socket.write(LOGGED_IN));
        socket.on('data', (data) => void (data[0] === QUERY && answer(socket)));
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  });

  const createCheck = () =>
    createDatabaseCheck(`postgres://settle:settle@127.0.0.1:${(server.address() as AddressInfo).port}/settle`);

  it('given an answer in time, when it is checked, then it is ready', async () => {
    answer = async (socket) => socket.write(WRITABLE);
    expect(await createCheck()()).toBe(true);
  });

  it('given an answer later than a check may take, when it is checked again and again, then it is never ready', async () => {
    loginAfterMs = SLOW_MS;
    answer = (socket) => sleep(SLOW_MS).then(() => socket.write(WRITABLE));
    const check = createCheck();
    expect([await check(), await check()]).toEqual([false, false]);
  });

  it('given no answer, when it is checked several times at once, then one connection is opened, and closed', async () => {
    const check = createCheck();
    const results = await Promise.all(Array.from({ length: CHECKS_AT_ONCE }, () => check()));
    expect([new Set(results), logins]).toEqual([new Set([false]), 1]);
    await Promise.all([...sockets].map((socket) => once(socket, 'close')));
    expect(await check()).toBe(false);
    expect(logins).toBe(2);
  });
});
