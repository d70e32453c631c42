import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from './arguments.js';
import { sendCommand } from './control-client.js';
import { serveControl, type Executor } from './control-server.js';

const scale: Command = { kind: 'scale', service: 'payments-service', count: 3 };
let dataDir: string;
let control: Awaited<ReturnType<typeof serveControl>>;

const serve = async (execute: Executor) =>
  (control = await serveControl({ dataDir, brokers: ['127.0.0.1:9092'] }, execute));

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'settle control '));
});
afterEach(async () => {
  await control.close();
  await rm(dataDir, { recursive: true, force: true });
});

describe('commands from another process', () => {
  it('given a command, when it is sent, then it runs, each step is printed, and its result comes back', async () => {
    await serve((command, say) => {
      say('one');
      say('two');
      return Promise.resolve({ command });
    });
    const steps: string[] = [];
    expect(await sendCommand(dataDir, scale, (line) => steps.push(line))).toEqual({ command: scale });
    expect(steps).toEqual(['one', 'two']);
  });

  it('given one that fails, when it is sent, then the reason is the error', async () => {
    await serve(() => Promise.reject(new Error('payments-3 did not start: no room')));
    await expect(sendCommand(dataDir, scale, () => undefined)).rejects.toThrow('payments-3 did not start: no room');
  });

  it('given a client without the secret, when it sends a command, then nothing runs; only the owner can read the secret', async () => {
    let done = 0;
    await serve(() => Promise.resolve((done += 1)));
    const file = join(dataDir, 'control.json');
    const { port } = JSON.parse(await readFile(file, 'utf8')) as { port: number };
    const { status } = await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body: JSON.stringify(scale) });
    expect({ status, done, mode: (await stat(file)).mode & 0o777 }).toEqual({ status: 401, done: 0, mode: 0o600 });
  });

  it('given no running stack, when a command is sent, then one line reports it', async () => {
    await serve(() => Promise.resolve(null));
    await control.close();
    await expect(sendCommand(dataDir, scale, () => undefined)).rejects.toThrow(/^No stack runs on the data folder/);
  });
});
