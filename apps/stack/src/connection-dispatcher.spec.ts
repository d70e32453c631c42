import { fork, spawn, type ChildProcess } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { eventually } from '@settle/testing';
import { ConnectionDispatcher } from './connection-dispatcher.js';

const LIFECYCLE = new URL('../../../libs/lifecycle/dist/', import.meta.url).href;
/** Serves as a service does: responds with its name, holds some responses until SIGTERM, and ends when all are sent. */
const PROGRAM = `
  import { closeSync, openSync } from 'node:fs';
  import { createServer } from 'node:http';
  import { guardConnections } from '${LIFECYCLE}connection-guard.js';
  import { HandedConnections } from '${LIFECYCLE}handed-connections.js';
  import { HttpDrain } from '${LIFECYCLE}http-drain.js';
  const [, , name] = process.argv;
  const held = [];
  const server = createServer(({ url, socket: { remoteAddress } }, response) => {
    const answer = () => response.end(name + ' ' + remoteAddress);
    if (url !== '/held') return void answer();
    held.push(answer);
    process.send('held');
  });
  const http = new HttpDrain(server);
  guardConnections(server, http);
  server.listen(0, '127.0.0.1', () => {
    const handed = new HandedConnections(server, http);
    process.once('SIGTERM', async () => {
      await handed.end();
      const drained = http.drain();
      for (const answer of held) answer();
      await drained;
      process.exit(0);
    });
    const files = [];
    process.on('message', (message) => {
      if (message === 'free') {
        files.splice(0).forEach((file) => closeSync(file));
        process.send('freed');
      }
      if (message !== 'fill') return;
      try {
        for (;;) files.push(openSync('/dev/null'));
      } catch {
        process.send('full');
      }
    });
    process.send('up');
  });`;

let folder: string;
let dispatcher: ConnectionDispatcher;
let children: ChildProcess[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'settle dispatcher '));
  await writeFile(join(folder, 'program.mjs'), PROGRAM);
});
afterAll(() => rm(folder, { recursive: true, force: true }));
beforeEach(async () => {
  children = [];
  dispatcher = await ConnectionDispatcher.listen({ host: '127.0.0.1', port: 0 });
});
afterEach(() => {
  dispatcher.close();
  for (const child of children) child.kill('SIGKILL');
});

/** A process of the service, ready unless said otherwise. */
const add = (name: string, isReady = true) =>
  addProcess(name, fork(join(folder, 'program.mjs'), [name], { execArgv: [] }), isReady);

async function addProcess(name: string, child: ChildProcess, isReady = true): Promise<ChildProcess> {
  children.push(child);
  await once(child, 'message');
  dispatcher.add(name, child);
  dispatcher.setReady(name, isReady);
  return child;
}

/** Sends a message to a process and waits for its reply. */
async function ask(child: ChildProcess, message: string, reply: string): Promise<void> {
  const hasReplied = new Promise<void>((resolve) => {
    child.on('message', (text) => {
      if (text === reply) resolve();
    });
  });
  child.send(message);
  await hasReplied;
}

interface Call {
  readonly path?: string;
  readonly agent?: Agent | false;
  readonly localAddress?: string;
}

async function call({ path = '/', agent = false, localAddress = '127.0.0.1' }: Call = {}): Promise<string> {
  const asked = request(dispatcher.url + path, { agent, localAddress });
  const [response] = (await once(asked.end(), 'response')) as [NodeJS.ReadableStream];
  return textOf(response);
}

const names = async (calls: number) => {
  const found: string[] = [];
  for (let index = 0; index < calls; index += 1) found.push((await call()).split(' ')[0] ?? '');
  return found;
};

describe('ConnectionDispatcher', () => {
  it('given two instances, when connections come one after the other, then each gets its turn and sees the address of the client', async () => {
    await add('one');
    await add('two');
    // The second process may still be starting: it gets connections once it has asked for the first one.
    await eventually(async () => expect(new Set(await names(4))).toEqual(new Set(['one', 'two'])));
    const here = await call({ localAddress: '127.0.0.7' });
    expect(here).toMatch(/^\w+ 127\.0\.0\.7$/);
  });

  it('given a client that has closed its side, when it has sent a request, then it is answered', async () => {
    await add('one');
    const client = connect({ port: Number(new URL(dispatcher.url).port), host: '127.0.0.1', allowHalfOpen: true });
    client.end('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
    expect(await textOf(client)).toMatch(/^HTTP\/1.1 200 [^]*one 127\.0\.0\.1/);
  });

  it('given an instance that is not ready, when another is, then the other is chosen; when none is, then it itself', async () => {
    await add('one');
    await add('two', false);
    expect(await names(3)).toEqual(['one', 'one', 'one']);
    dispatcher.setReady('one', false);
    expect(await names(1)).toEqual(['one']);
    dispatcher.setReady('two', true);
    expect(await names(2)).toEqual(['two', 'two']);
  });

  it('given no instance, when a connection comes, then it waits for the first that is ready', async () => {
    const answer = call();
    await add('one');
    expect(await answer).toBe('one 127.0.0.1');
  });

  it('given no instance, when the time to wait is over, then 503 says when to send the request again', async () => {
    dispatcher.close();
    dispatcher = await ConnectionDispatcher.listen({ host: '127.0.0.1', port: 0 }, 100);
    const response = await fetch(dispatcher.url, { method: 'POST', body: 'x' });
    const { error } = (await response.json()) as { error: { code: string } };
    expect([response.status, response.headers.get('retry-after'), error.code]).toEqual([
      503,
      '1',
      'service_unavailable',
    ]);
  });

  it('given a flood of connections from one address, when another address opens one, then it is next', async () => {
    const order: string[] = [];
    /** Resolves with the response, still to come, once the connection is open: the dispatcher accepts in this order. */
    const openFrom = async (localAddress: string) => {
      const asked = request(dispatcher.url, { agent: false, localAddress });
      const response = once(asked, 'response').then(([stream]) => textOf(stream as NodeJS.ReadableStream));
      const [socket] = (await once(asked.end(), 'socket')) as [Socket];
      if (socket.connecting) await once(socket, 'connect');
      return { answered: response.then(() => order.push(localAddress)) };
    };
    const flood = await Promise.all(Array.from({ length: 50 }, () => openFrom('127.0.0.2')));
    const other = await openFrom('127.0.0.3');
    await add('one');
    await Promise.all([...flood, other].map(({ answered }) => answered));
    expect(order.indexOf('127.0.0.3')).toBeLessThan(5);
  });

  it('given an instance that is killed, when connections come, then the others serve them', async () => {
    const one = await add('one');
    await add('two');
    one.kill('SIGKILL');
    await once(one, 'exit');
    expect(await names(3)).toEqual(['two', 'two', 'two']);
  });

  it('given an instance without a free descriptor, when a connection is lost on the way, then it gets the next one once it can', async () => {
    const command = ['-c', 'ulimit -n 64; exec "$0" "$@"', process.execPath, join(folder, 'program.mjs'), 'one'];
    const one = await addProcess('one', spawn('sh', command, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] }));
    await ask(one, 'fill', 'full');
    await new Promise((resolve) => {
      const lost = connect(Number(new URL(dispatcher.url).port), '127.0.0.1');
      lost
        .once('close', resolve)
        .on('error', () => undefined)
        .resume();
    });
    await ask(one, 'free', 'freed');
    expect(await names(2)).toEqual(['one', 'one']);
  });

  it('given a process that could not be started, when another follows under its name, then that one gets connections', async () => {
    dispatcher.add('one', new EventEmitter() as ChildProcess);
    await add('one');
    expect(await names(2)).toEqual(['one', 'one']);
  });

  it('given requests on kept connections, when an instance leaves, then all are answered and their clients connect anew', async () => {
    const one = await add('one');
    const agent = new Agent({ keepAlive: true, maxSockets: 4 });
    let held = 0;
    one.on('message', (message) => (held += Number(message === 'held')));
    const calls = Array.from({ length: 4 }, () => call({ path: '/held', agent }));
    await eventually(() => expect(held).toBe(4));
    await add('two');
    dispatcher.remove('one');
    one.kill('SIGTERM');
    const answers = await Promise.all(calls);
    expect(answers.map((answer) => answer.split(' ')[0])).toEqual(['one', 'one', 'one', 'one']);
    expect(await call({ agent })).toMatch(/^two /);
    expect(one.exitCode ?? (await once(one, 'exit'))[0]).toBe(0);
    agent.destroy();
  });
});
