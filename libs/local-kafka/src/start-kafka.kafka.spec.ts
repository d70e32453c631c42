import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startKafka } from './index.js';

let dataDir: string;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'settle broker '));
});
afterAll(() => rm(dataDir, { recursive: true, force: true }));

const SCRIPT = `
  import { startKafka } from '@settle/local-kafka';
  const { pid, brokers } = await startKafka({ dataDir: process.argv[1], port: null });
  console.log(JSON.stringify({ pid, brokers }));
  setInterval(() => undefined, 1000);`;

/** Starts a broker from a process of its own that is then killed. */
async function startAndKillStarter(): Promise<{ pid: number; port: number }> {
  const args = ['--input-type=module', '--eval', SCRIPT, dataDir];
  const child = spawn(process.execPath, args, { cwd: import.meta.dirname, stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
  const { pid, brokers } = JSON.parse(line.toString()) as { pid: number; brokers: string[] };
  return { pid, port: Number(brokers[0]?.split(':')[1]) };
}

describe('startKafka', () => {
  it('given a broker whose starter was killed, when it starts again on its port, then the orphan is ended', async () => {
    const left = await startAndKillStarter();
    expect(process.kill(left.pid, 0)).toBe(true);
    const kafka = await startKafka({ dataDir, port: left.port });
    // Two cannot listen on one port.
    expect({ brokers: kafka.brokers, isNew: kafka.pid !== left.pid }).toEqual({
      brokers: [`127.0.0.1:${left.port}`],
      isNew: true,
    });
    await kafka.stop();
    expect(await kafka.ended).toBe('143');
  });
});
