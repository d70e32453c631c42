import { execFile } from 'node:child_process';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { eventually, type StackState } from '@settle/testing';
import { cutOffFaults } from './cut-off-faults.fixture.js';
import { EVENT_STORE_FAULTS } from './event-store-faults.fixture.js';
import { once, PAUSE_MS, USUAL_COUNTS, waitUntilAllReady, type Fault } from './fault.fixture.js';
import { waitUntilReady } from './stack-under-faults.fixture.js';

const BROKER_AWAY_MS = 5_000;
const BACK_WAIT_MS = 30_000;

function killOf(service: string): Fault {
  return {
    name: `kill -9 of ${service}`,
    times: 10,
    shortTimes: 2,
    isHarmless: false,
    async strike(stack, turn, struck) {
      const instances = await stack.instancesOf(service);
      const target = instances[turn % instances.length];
      if (target === undefined || target.pid === null) throw new Error(`No ${service} runs`);
      process.kill(target.pid, 'SIGKILL');
      struck();
      await waitUntilReady(target);
    },
  };
}

function scaling(group: 'payments' | 'gateways', usual: number): Fault {
  return {
    name: `${group} 1 -> 3 -> 1`,
    times: 1,
    shortTimes: 1,
    isHarmless: true,
    prepare: ({ stack }) => stack.scale(group, 1),
    async strike({ stack }, _turn, struck) {
      struck();
      await stack.scale(group, 3);
      await stack.scale(group, 1);
    },
    restore: ({ stack }) => stack.scale(group, usual),
  };
}

const brokerStopped: Fault = {
  ...once,
  name: `broker stopped for ${BROKER_AWAY_MS / 1_000} s`,
  async strike({ stack }, _turn, struck) {
    const shape = await stack.status();
    await stack.kafka('stop');
    await pause(BROKER_AWAY_MS);
    await stack.kafka('start');
    struck();
    await waitUntilBrokerResponds(shape);
  },
};

const brokerKilled: Fault = {
  ...once,
  name: 'kill -9 of the broker',
  times: 3,
  async strike(under, _turn, struck) {
    const shape = await under.stack.status();
    const killed = await under.kafkaPid();
    process.kill(killed, 'SIGKILL');
    // The promised time counts from the start of the process.
    await eventually(async () => {
      if ((await under.kafkaPid()) === killed) throw new Error('It is not started again yet');
    });
    struck();
    await waitUntilBrokerResponds(shape);
  },
};

const postgresRestarted: Fault = {
  ...once,
  name: 'PostgreSQL restarted',
  times: 3,
  async strike(under, _turn, struck) {
    const shape = await under.stack.status();
    const first = await under.postgresPid();
    // `pg_ctl stop --mode=fast` sends this signal; the supervisor restarts the server.
    process.kill(first, 'SIGINT');
    struck();
    await eventually(async () => {
      if ((await under.postgresPid()) === first) throw new Error('It still runs');
    });
    await waitUntilAllReady(shape);
  },
};

const postgresStands: Fault = {
  ...once,
  name: `PostgreSQL suspended for ${PAUSE_MS / 1_000} s`,
  times: 3,
  async strike(under, _turn, struck) {
    const shape = await under.stack.status();
    await standStill(await under.postgresPid());
    struck();
    await waitUntilAllReady(shape);
  },
};

const paymentsStands: Fault = {
  ...once,
  name: `a payments instance suspended for ${PAUSE_MS / 1_000} s`,
  times: 3,
  async strike(under, turn, struck) {
    const instances = await under.instancesOf('payments');
    const target = instances[turn % instances.length];
    if (target === undefined || target.pid === null) throw new Error('No payments instance runs');
    await standStill(target.pid);
    struck();
    await waitUntilReady(target);
  },
};

/** @param isOnEventStoreDb whether events are stored there, not in PostgreSQL */
export const listFaults = (isOnEventStoreDb: boolean): readonly Fault[] => [
  ...['payments', 'gateway', 'users', 'auth'].map(killOf),
  brokerKilled,
  brokerStopped,
  postgresRestarted,
  postgresStands,
  ...(isOnEventStoreDb ? EVENT_STORE_FAULTS : []),
  paymentsStands,
  ...cutOffFaults(isOnEventStoreDb ? 'eventStore' : 'database'),
  scaling('payments', USUAL_COUNTS.payments),
  scaling('gateways', USUAL_COUNTS.gateways),
];

/**
 * Suspends a process with its children. The parent is the first to stop and the last to continue: meanwhile it reaps no child
 * that ends, so every process id stays valid.
 */
async function standStill(parent: number): Promise<void> {
  process.kill(parent, 'SIGSTOP');
  const children = await childrenOf(parent);
  for (const pid of children) process.kill(pid, 'SIGSTOP');
  await pause(PAUSE_MS);
  for (const pid of [...children, parent]) process.kill(pid, 'SIGCONT');
}

/** Returns the child processes; PostgreSQL has one for each connection. */
async function childrenOf(parent: number): Promise<number[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=']);
  const pairs = stdout.split('\n').map((line) => line.trim().split(/\s+/).map(Number));
  return pairs.flatMap(([pid, ppid]) => (pid !== undefined && ppid === parent ? [pid] : []));
}

async function waitUntilBrokerResponds(shape: StackState): Promise<void> {
  const [address = ''] = shape.kafka.brokers;
  const [host = '', port] = address.split(':');
  const checkHealth = () =>
    new Promise<void>((resolve, reject) => {
      const socket = connect(Number(port), host, () => {
        socket.destroy();
        resolve();
      });
      socket.once('error', reject);
    });
  await eventually(checkHealth, { timeoutMs: BACK_WAIT_MS });
  await waitUntilAllReady(shape);
}
