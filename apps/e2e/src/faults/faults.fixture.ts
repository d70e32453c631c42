import { execFile } from 'node:child_process';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { eventually, type StackState } from '@settle/testing';
import { CutOffInstance } from './cut-off-instance.fixture.js';
import { waitUntilReady, type StackUnderFaults } from './stack-under-faults.fixture.js';

/** How long a process is suspended. */
const PAUSE_MS = 3_000;
const BROKER_AWAY_MS = 5_000;
const BACK_WAIT_MS = 30_000;
/** How long packets are dropped. */
const CUT_OFF_MS = 20_000;
/** The time in which another instance acquires the ended lease and writes. */
const LEASE_TAKEN_MS = 2_000;
/** Cuts inside the rows of an append, where PostgreSQL waits for the rest while it holds its lock. */
const INTO_THE_ROWS_BYTES = 30;

/** A fault that is applied to a stack under load. */
export interface Fault {
  readonly name: string;
  /** The number of strikes in the long form; the short form has its own. */
  readonly times: number;
  readonly shortTimes: number;
  /** Whether no request may fail or be slow during the fault. */
  readonly isHarmless: boolean;
  /** Prepares the stack before the load. */
  prepare?(stack: StackUnderFaults): Promise<void>;
  /** Returns the partitions that the fault cuts off for longer, once it is prepared. */
  cutOffPartitions?(): ReadonlySet<number>;
  /**
   * Strikes for the `turn`th time, and resolves once every affected process is back.
   * @param struck is called at the moment from which the recovery is measured
   */
  strike(stack: StackUnderFaults, turn: number, struck: () => void): Promise<void>;
  /** Restores the usual processes after the load. */
  restore?(stack: StackUnderFaults): Promise<void>;
}

const once = { times: 1, shortTimes: 1, isHarmless: false };

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

/** The usual numbers of processes. */
export const USUAL_COUNTS = { gateways: 2, payments: 3 } as const;

/** Returns a fault. @param strike cuts the instance's path to the database and resolves when it is cut */
function cutOff(name: string, strike: (instance: CutOffInstance, under: StackUnderFaults) => Promise<void>): Fault {
  let instance: CutOffInstance | null = null;
  const started = (): CutOffInstance => {
    if (instance === null) throw new Error('The instance was not started');
    return instance;
  };
  return {
    ...once,
    name: `${name}, packets dropped for ${CUT_OFF_MS / 1_000} s`,
    times: 3,
    async prepare(under) {
      await under.stack.scale('payments', 1);
      instance = await CutOffInstance.start(under);
    },
    cutOffPartitions: () => started().partitions,
    async strike(under, _turn, struck) {
      await strike(started(), under);
      struck();
      await pause(CUT_OFF_MS);
      await started().reconnect();
    },
    async restore({ stack }) {
      await started().stop();
      await stack.scale('payments', USUAL_COUNTS.payments);
    },
  };
}

const cutOffInAppend = cutOff('a payments instance cut off in the middle of an append', (instance) =>
  instance.cutInside('PGCOPY', INTO_THE_ROWS_BYTES),
);

/** The first instance to request an ended lease gets it, so this ends the lease until the instance holds it and writes. */
const cutOffInProjection = cutOff('the projector cut off in the middle of its write', async (instance, under) => {
  let isCut = false;
  const cut = instance.cutInside('copy payments (', 0).then(() => (isCut = true));
  const deadlineMs = performance.now() + BACK_WAIT_MS;
  while (!isCut) {
    if (performance.now() > deadlineMs) throw new Error('The instance did not become the projector');
    await under.endProjectorLease();
    await Promise.race([cut, pause(LEASE_TAKEN_MS)]);
  }
});

export const FAULTS: readonly Fault[] = [
  ...['payments', 'gateway', 'users', 'auth'].map(killOf),
  brokerKilled,
  brokerStopped,
  postgresRestarted,
  postgresStands,
  paymentsStands,
  cutOffInAppend,
  cutOffInProjection,
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

/** Checks the state first, because a machine that starts services has no CPU for needless programs. */
async function waitUntilAllReady({ instances }: StackState): Promise<void> {
  await Promise.all(instances.map(waitUntilReady));
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
