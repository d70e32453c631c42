import { execFile } from 'node:child_process';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { eventually, type StackState } from '@settle/testing';
import { CutOffInstance } from './cut-off-instance.fixture.js';
import { untilReady, type StackUnderFaults } from './stack-under-faults.fixture.js';

/** How long something stands still. */
const PAUSE_MS = 3_000;
const BROKER_AWAY_MS = 5_000;
const BACK_WAIT_MS = 30_000;
/** How long packets are dropped. */
const CUT_OFF_MS = 20_000;
/** Within which an instance that asks has the lease that was ended, and writes. */
const LEASE_TAKEN_MS = 2_000;
/** Into the rows of an append, in which PostgreSQL waits for the rest with its lock held. */
const INTO_THE_ROWS_BYTES = 30;

/** What is done to a stack while payments come in. */
export interface Fault {
  readonly name: string;
  /** How often in the long form, and in the short one. */
  readonly times: number;
  readonly shortTimes: number;
  /** Nothing may fail and nothing be slow while it happens. */
  readonly isHarmless: boolean;
  /** Before the load: brings the stack into the shape that it begins with. */
  prepare?(stack: StackUnderFaults): Promise<void>;
  /** Shares that the fault keeps from being served for longer, once it is prepared. */
  cutOffShares?(): ReadonlySet<number>;
  /**
   * Strikes for the `turn`th time, and resolves once everything that was hurt is back.
   * @param struck to be called at the moment from which all should become whole again
   */
  strike(stack: StackUnderFaults, turn: number, struck: () => void): Promise<void>;
  /** After the load: leaves the usual shape. */
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
      const victim = instances[turn % instances.length];
      if (victim === undefined || victim.pid === null) throw new Error(`No ${service} runs`);
      process.kill(victim.pid, 'SIGKILL');
      struck();
      await untilReady(victim);
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
    await untilBrokerAnswers(shape);
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
    // What is promised counts from its start.
    await eventually(async () => {
      if ((await under.kafkaPid()) === killed) throw new Error('It is not started again yet');
    });
    struck();
    await untilBrokerAnswers(shape);
  },
};

const postgresRestarted: Fault = {
  ...once,
  name: 'PostgreSQL restarted',
  times: 3,
  async strike(under, _turn, struck) {
    const shape = await under.stack.status();
    const first = await under.postgresPid();
    // What `pg_ctl stop --mode=fast` sends; the owner of the server restarts it.
    process.kill(first, 'SIGINT');
    struck();
    await eventually(async () => {
      if ((await under.postgresPid()) === first) throw new Error('It still runs');
    });
    await untilAllReady(shape);
  },
};

const postgresStands: Fault = {
  ...once,
  name: `PostgreSQL stands still for ${PAUSE_MS / 1_000} s`,
  times: 3,
  async strike(under, _turn, struck) {
    const shape = await under.stack.status();
    const main = await under.postgresPid();
    await standStill([main, ...(await childrenOf(main))]);
    struck();
    await untilAllReady(shape);
  },
};

const paymentsStands: Fault = {
  ...once,
  name: `a payments instance stands still for ${PAUSE_MS / 1_000} s`,
  times: 3,
  async strike(under, turn, struck) {
    const instances = await under.instancesOf('payments');
    const victim = instances[turn % instances.length];
    if (victim === undefined || victim.pid === null) throw new Error('No payments instance runs');
    await standStill([victim.pid]);
    struck();
    await untilReady(victim);
  },
};

/** The usual shape, and all that can happen to it. */
export const USUAL = { gateways: 2, payments: 3 } as const;

/** @param strike cuts the instance's path to the database; resolves in the moment in which it is cut */
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
    cutOffShares: () => started().partitions,
    async strike(under, _turn, struck) {
      await strike(started(), under);
      struck();
      await pause(CUT_OFF_MS);
      await started().reconnect();
    },
    async restore({ stack }) {
      await started().stop();
      await stack.scale('payments', USUAL.payments);
    },
  };
}

const cutOffInAppend = cutOff('a payments instance cut off in the middle of an append', (instance) =>
  instance.cutInside('PGCOPY', INTO_THE_ROWS_BYTES),
);

/** The first instance to ask gets a lease that has ended, so this ends it until the instance holds it and writes. */
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
  scaling('payments', USUAL.payments),
  scaling('gateways', USUAL.gateways),
];

async function standStill(pids: readonly number[]): Promise<void> {
  for (const pid of pids) process.kill(pid, 'SIGSTOP');
  await pause(PAUSE_MS);
  for (const pid of pids) process.kill(pid, 'SIGCONT');
}

/** PostgreSQL works in processes of its own, one for each connection. */
async function childrenOf(parent: number): Promise<number[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=']);
  const pairs = stdout.split('\n').map((line) => line.trim().split(/\s+/).map(Number));
  return pairs.flatMap(([pid, ppid]) => (pid !== undefined && ppid === parent ? [pid] : []));
}

/** The state is checked first: a machine that is starting has no CPU for needless programs. */
async function untilAllReady({ instances }: StackState): Promise<void> {
  await Promise.all(instances.map(untilReady));
}

async function untilBrokerAnswers(shape: StackState): Promise<void> {
  const [address = ''] = shape.kafka.brokers;
  const [host = '', port] = address.split(':');
  const answers = () =>
    new Promise<void>((resolve, reject) => {
      const socket = connect(Number(port), host, () => {
        socket.destroy();
        resolve();
      });
      socket.once('error', reject);
    });
  await eventually(answers, { timeoutMs: BACK_WAIT_MS });
  await untilAllReady(shape);
}
