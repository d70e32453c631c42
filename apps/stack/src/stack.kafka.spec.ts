import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEMO_USERS } from '@settle/contracts';
import { eventually, startStack, type StackUnderTest } from '@settle/testing';

let dataDir: string;
let stack: StackUnderTest;
let token: string;

async function pay(): Promise<number> {
  const body = new URLSearchParams({ access_token: token, user_id: DEMO_USERS.bob.id, amount: '0.01', note: 'Coffee' });
  const response = await fetch(`${stack.url}/v1/payments`, { method: 'POST', body });
  await response.arrayBuffer();
  return response.status;
}

async function balanceOfAlice(): Promise<number> {
  const response = await fetch(`${stack.url}/v1/me?access_token=${token}`);
  return ((await response.json()) as { data: { balance: number } }).data.balance;
}

const pidsOf = async (): Promise<number[]> => {
  const { pid, kafka, postgres, instances } = await stack.status();
  const all = [pid, kafka.pid, postgres.pid, ...instances.map((instance) => instance.pid)];
  return all.filter((one) => one !== null);
};

/** A zombie does not count: its new parent may be slow to reap it. */
function runs(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return process.platform !== 'linux' || !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

async function start(): Promise<void> {
  stack = await startStack({ dataDir, port: null });
  const [, found = ''] = /access_token=([\w-]+)/.exec(stack.recentOutput()) ?? [];
  token = found;
}

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'settle stack '));
  await start();
});
afterAll(async () => {
  await stack.stop();
  await rm(dataDir, { recursive: true, force: true });
});

describe('npm run stack', () => {
  it('given a fresh start, when its line is followed, then alice pays bob and sees it', async () => {
    const before = await balanceOfAlice();
    expect(await pay()).toBe(200);
    expect(await balanceOfAlice()).toBeCloseTo(before - 0.01);
    const { instances } = await stack.status();
    expect(instances.map(({ name, isReady }) => `${name} ${isReady}`)).toEqual([
      'provider true',
      'gateway-1 true',
      'payments-1 true',
      'users-1 true',
      'auth-1 true',
      'auth-2 true',
    ]);
  });

  it('given payments all the while, when services are scaled up and down, then not one fails', async () => {
    let isOver = false;
    const statuses: number[] = [];
    const paying = (async () => {
      while (!isOver) statuses.push(await pay());
    })();
    for (const group of ['payments', 'gateways'] as const) {
      await stack.scale(group, 2);
      await stack.scale(group, 1);
    }
    isOver = true;
    await paying;
    expect(statuses.length).toBeGreaterThan(20);
    expect(statuses.filter((status) => status !== 200)).toEqual([]);
  });

  it('given payments all the while, when services are restarted, then not one fails, and each instance is a new process', async () => {
    let isOver = false;
    const statuses: number[] = [];
    const paying = (async () => {
      while (!isOver) statuses.push(await pay());
    })();
    const instancesOf = async () =>
      (await stack.status()).instances.filter(({ name }) => /^(payments|gateway)-/.test(name));
    const before = await instancesOf();
    for (const group of ['payments', 'gateways'] as const) await stack.restart(group);
    isOver = true;
    await paying;
    expect(statuses.filter((status) => status !== 200)).toEqual([]);
    const after = await instancesOf();
    expect(after.map(({ name }) => name)).toEqual(before.map(({ name }) => name));
    const pids = new Set(before.map(({ pid }) => pid));
    expect(after.filter(({ pid, isReady }) => !isReady || pids.has(pid))).toEqual([]);
  }, 240_000);

  it('given instances, when the targets are printed, then each answers Prometheus there', async () => {
    const groups = JSON.parse(await stack.targets()) as { targets: string[]; labels: { process: string } }[];
    const services = groups.filter(({ labels }) => labels.process !== 'provider');
    expect(services.map(({ labels }) => labels.process)).toEqual([
      ...['gateway-1', 'payments-1', 'users-1', 'auth-1', 'auth-2'],
    ]);
    for (const { targets } of services) expect((await fetch(`http://${targets[0]}/metrics`)).status).toBe(200);
  });

  it.each(['provider', 'gateway-1', 'payments-1', 'users-1', 'auth-1', 'kafka'])(
    'given %s, when it is killed, then it is started again and payments go through',
    async (name) => {
      const pidOf = async () => {
        const { kafka, instances } = await stack.status();
        return name === 'kafka' ? kafka.pid : (instances.find((instance) => instance.name === name)?.pid ?? null);
      };
      const first = (await pidOf()) ?? 0;
      process.kill(first, 'SIGKILL');
      await eventually(async () => expect([null, first]).not.toContain(await pidOf()));
      await eventually(async () => expect(await pay()).toBe(200));
    },
  );

  it('given a supervisor that is killed, when it starts again, then nothing of before is left and the money is there', async () => {
    const [supervisor, ...others] = await pidsOf();
    const before = await balanceOfAlice();
    await stack.kill();
    expect(supervisor).toBeDefined();
    await start();
    expect(await balanceOfAlice()).toBeCloseTo(before);
    expect(others.filter(runs)).toEqual([]);
  });

  it('given Ctrl-C, when it has stopped, then no process is left', async () => {
    const pids = await pidsOf();
    expect(pids).toHaveLength(9);
    expect(await stack.stop()).toBe(0);
    expect(pids.filter(runs)).toEqual([]);
  });
});
