import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { jest } from '@jest/globals';
import { eventually } from '@settle/testing';
import { Instance } from './instance.js';
import { InstanceGroup, type GroupOptions, type StackParts } from './instance-group.js';
import { ReservedPorts } from './reserved-ports.js';
import { LogLines } from './log-lines.js';
import { ProcessNotes } from './process-notes.js';

/** A process that becomes ready like a service, reports it, and ends on SIGTERM. */
const PROGRAM = `
  import { createServer } from 'node:http';
  if (process.env.FAILS === 'true') {
    console.error('Settle cannot run: the moon is full');
    process.exit(1);
  }
  let isSlow = false;
  process.on('SIGUSR2', () => (isSlow = true));
  createServer(({ url }, response) => {
    if (url === '/health/ready' && isSlow) return;
    if (isSlow) console.log(JSON.stringify({ msg: 'alive' }));
    response.end();
  }).listen(Number(process.env.HEALTH_PORT), '127.0.0.1');
  console.log(JSON.stringify({ msg: 'ready', instance: process.env.INSTANCE_ID }));
  process.on('SIGTERM', () => process.exit(0));`;

let dataDir: string;
let group: InstanceGroup;
let parts: StackParts;
let said: string;
const logged: string[] = [];

async function groupOf(options: Partial<GroupOptions> = {}): Promise<InstanceGroup> {
  const main = join(dataDir, 'program.mjs');
  await writeFile(main, PROGRAM);
  const output = new PassThrough();
  said = '';
  output.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const log = (...line: unknown[]) => void logged.push(String(line.at(-1)));
  parts = {
    ports: await ReservedPorts.in(dataDir),
    notes: new ProcessNotes(dataDir),
    lines: new LogLines(output, false),
    logger: { info: log, warn: log },
  };
  group = new InstanceGroup({ name: 'thing', main, env: process.env, dispatcher: null, parts, ...options });
  return group;
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};
const pids = () => group.states().map(({ pid }) => pid ?? 0);

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'settle instances '));
  logged.length = 0;
});
afterEach(async () => {
  await group.close();
  await rm(dataDir, { recursive: true, force: true });
});

describe('a group of instances', () => {
  it('given two, when they have started, then each is ready, has its name and port, and its lines come through', async () => {
    await (await groupOf()).start(2);
    const states = group.states();
    expect(states.map(({ name, isReady, restarts }) => [name, isReady, restarts])).toEqual([
      ['thing-1', true, 0],
      ['thing-2', true, 0],
    ]);
    expect(new Set(states.map(({ healthPort }) => healthPort)).size).toBe(2);
    await eventually(() => expect(said.split('\n').filter(Boolean)).toHaveLength(2));
    expect(said).toContain('{"msg":"ready","instance":"thing-2"}\n');
  });

  it('given one that is killed, when a moment has passed, then another runs in its place and a line says so', async () => {
    await (await groupOf()).start(1);
    const [first = 0] = pids();
    process.kill(first, 'SIGKILL');
    await eventually(() => expect(group.states()[0]).toMatchObject({ isReady: true, restarts: 1 }));
    expect(pids()).not.toEqual([first]);
    expect(logged).toEqual([
      'thing-1 is ready',
      'thing-1 is not ready',
      expect.stringMatching(/^thing-1 has ended and is started again in \d+ ms$/) as string,
      'thing-1 is ready',
    ]);
  });

  it('given a full disk on which no process can be noted down, when one is killed, then another runs in its place', async () => {
    await groupOf();
    const full = () => Promise.reject(new Error('ENOSPC'));
    jest.spyOn(parts.notes, 'add').mockImplementation(full);
    jest.spyOn(parts.notes, 'remove').mockImplementation(full);
    await group.start(1);
    process.kill(pids()[0] ?? 0, 'SIGKILL');
    await eventually(() => expect(group.states()[0]).toMatchObject({ isReady: true, restarts: 1 }));
    expect(logged).toContain('a process could not be noted down');
  });

  it('given one instance, when it is scaled to three and back, then they start and stop one at a time and each step is printed', async () => {
    await (await groupOf()).start(1);
    const steps: string[] = [];
    await group.scale(3, (line) => steps.push(line));
    const [first = 0, ...others] = pids();
    await group.scale(1, (line) => steps.push(line));
    expect(steps.map((line) => line.replace(/ \(.* s\)$/, ''))).toEqual([
      'thing-2 starts',
      'thing-2 is ready',
      'thing-3 starts',
      'thing-3 is ready',
      'thing: 3 instances',
      'thing-3 finishes what it has',
      'thing-3 has stopped',
      'thing-2 finishes what it has',
      'thing-2 has stopped',
      'thing: 1 instance',
    ]);
    expect([isAlive(first), ...others.map(isAlive)]).toEqual([true, false, false]);
  });

  it('given one that cannot start, when it is started, then its own complaint is the error and nothing is left', async () => {
    await groupOf({ env: { ...process.env, FAILS: 'true' } });
    await expect(group.scale(1, () => undefined)).rejects.toThrow('thing-1 did not start: the moon is full');
    expect(group.states()).toEqual([]);
    await eventually(() => expect(said).toBe('thing-1: Settle cannot run: the moon is full\n'));
  });
});

describe('an instance that does not say whether it is ready', () => {
  let instance: Instance;

  beforeEach(async () => {
    await groupOf();
    const healthPort = await parts.ports.take('thing-1 health');
    const options = {
      ...parts,
      name: 'thing-1',
      main: join(dataDir, 'program.mjs'),
      env: { ...process.env, HEALTH_PORT: String(healthPort) },
      healthPort,
      httpPort: null,
      onStart: () => undefined,
      onReadiness: () => undefined,
    };
    instance = new Instance(options, 500);
    await instance.start();
  });
  afterEach(() => instance.stop());

  it('given a process that stands still, when it has answered nothing for a while, then it is killed and another runs in its place', async () => {
    process.kill(instance.state.pid ?? 0, 'SIGSTOP');
    const isReplaced = () => expect(instance.state).toMatchObject({ restarts: 1, isReady: true });
    await eventually(isReplaced);
    expect(logged).toContain('thing-1 answers nothing and is killed');
  });

  it('given a process that waits for its database, when it answers otherwise, then it runs on', async () => {
    process.kill(instance.state.pid ?? 0, 'SIGUSR2');
    await eventually(() => expect(instance.state.isReady).toBe(false));
    // Each follows a second without a response about readiness, which is longer than the process may be silent.
    await eventually(() => expect(said).toMatch(/(alive[^]*){3}/));
    expect(instance.state.restarts).toBe(0);
  });
});

describe('what an earlier run has left', () => {
  it('given a process that is noted and one that is not, when orphaned processes are ended, then only the first is', async () => {
    await groupOf();
    const [ours, other] = [1, 2].map(() => spawn(process.execPath, ['--eval', 'setInterval(() => {}, 1000)']));
    await new ProcessNotes(dataDir).add(ours!.pid!);
    const ended = once(ours!, 'exit');
    expect(await new ProcessNotes(dataDir).endLeftovers()).toBe(1);
    await ended;
    expect(isAlive(other!.pid!)).toBe(true);
    other!.kill('SIGKILL');
  });
});
