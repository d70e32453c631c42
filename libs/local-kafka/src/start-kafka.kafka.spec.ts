import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { kafkaJars } from './index.js';
import { classArchive, startKafka } from './start-kafka.js';

let dataDir: string;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'settle broker '));
});
afterAll(() => rm(dataDir, { recursive: true, force: true }));

const usualCache = process.env['XDG_CACHE_HOME'];
afterEach(() => {
  if (usualCache === undefined) delete process.env['XDG_CACHE_HOME'];
  else process.env['XDG_CACHE_HOME'] = usualCache;
});

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

/** An empty cache but for Kafka's jars, which are fetched as they would be if they are not there either. */
async function cacheWithJars(): Promise<string> {
  const { folder } = await kafkaJars();
  const cacheHome = await mkdtemp(join(dataDir, 'cache '));
  const cache = join(cacheHome, 'settle');
  await mkdir(cache);
  await symlink(folder, join(cache, basename(folder)));
  process.env['XDG_CACHE_HOME'] = cacheHome;
  return cache;
}

async function commandLineOf(pid: number): Promise<string> {
  const { stdout } = await promisify(execFile)('ps', ['-ww', '-o', 'command=', '-p', String(pid)]);
  return stdout;
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

  it('given a cache without an archive of its classes, when it starts, then it makes one and loads it', async () => {
    const cache = await cacheWithJars();
    const kafka = await startKafka({ dataDir, port: null });
    const [archive = ''] = (await readdir(cache)).filter((name) => name.endsWith('.jsa'));
    expect(await commandLineOf(kafka.pid)).toContain(`-XX:SharedArchiveFile=${join(cache, archive)}`);
    await kafka.stop();
  });

  it('given an archive that is not whole any more, when it starts, then it does so without', async () => {
    await cacheWithJars();
    const [, archive = ''] = /=(.*)/.exec((await classArchive(await kafkaJars()))[0] ?? '') ?? [];
    const bytes = await readFile(archive);
    await rm(archive);
    await writeFile(archive, bytes.fill(7, 10_000_000, 10_000_100));
    const kafka = await startKafka({ dataDir, port: null });
    expect(kafka.brokers).toHaveLength(1);
    await kafka.stop();
  });
});
