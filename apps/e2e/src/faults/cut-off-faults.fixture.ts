import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '@settle/testing';
import { CutOffInstance, type Link } from './cut-off-instance.fixture.js';
import { once, USUAL_COUNTS, type Fault } from './fault.fixture.js';
import type { StackUnderFaults } from './stack-under-faults.fixture.js';

/** Under load a projector writes within this time. */
const PROJECTOR_WRITES_MS = 1_000;
/** Longest time until an instance that has the lease of the projector writes. */
const WRITE_WAIT_MS = 30_000;
/** How long packets are dropped. */
const CUT_OFF_MS = 20_000;
/** Cuts inside the rows of an append, where PostgreSQL waits for the rest while it holds its lock. */
const INTO_THE_ROWS_BYTES = 30;

interface CutOffPlan {
  readonly name: string;
  readonly link: Link;
  /** Cuts the link and resolves when it is cut. */
  readonly cut: (instance: CutOffInstance, under: StackUnderFaults) => Promise<void>;
}

function cutOff({ name, link, cut }: CutOffPlan): Fault {
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
      instance = await CutOffInstance.start(under, link);
    },
    cutOffPartitions: () => started().partitions,
    async strike(under, _turn, struck) {
      await cut(started(), under);
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

/** A text inside every message that appends: PostgreSQL gets rows, EventStoreDB events with their types. */
const APPENDED = { database: 'PGCOPY', eventStore: 'FundsDebited' } as const;

/** @param link to where events are stored */
const cutOffInAppend = (link: Link): Fault =>
  cutOff({
    name: 'a payments instance cut off in the middle of an append',
    link,
    cut: (instance) => instance.cutInside(APPENDED[link], INTO_THE_ROWS_BYTES),
  });

/** The first instance to request an ended lease gets it: the other one is suspended until this one has it. */
const cutOffInProjection = cutOff({
  name: 'the projector cut off in the middle of its write',
  link: 'database',
  async cut(instance, under) {
    let isCut = false;
    void instance.cutInside('copy payments (', 0).then(() => (isCut = true));
    await pause(PROJECTOR_WRITES_MS);
    if (isCut) return;
    const [other] = await under.instancesOf('payments');
    if (other === undefined || other.pid === null) throw new Error('No other payments instance runs');
    process.kill(other.pid, 'SIGSTOP');
    try {
      await under.endProjectorLease();
    } finally {
      process.kill(other.pid, 'SIGCONT');
    }
    const expectCut = () => {
      if (!isCut) throw new Error('The instance has the lease of the projector and does not write');
    };
    await eventually(expectCut, { timeoutMs: WRITE_WAIT_MS });
  },
});

/** @param link to where events are stored */
export const cutOffFaults = (link: Link): readonly Fault[] => [cutOffInAppend(link), cutOffInProjection];
