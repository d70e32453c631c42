import { setTimeout as pause } from 'node:timers/promises';
import { CutOffInstance, type Link } from './cut-off-instance.fixture.js';
import { once, USUAL_COUNTS, type Fault } from './fault.fixture.js';
import type { StackUnderFaults } from './stack-under-faults.fixture.js';

const BACK_WAIT_MS = 30_000;
/** How long packets are dropped. */
const CUT_OFF_MS = 20_000;
/** The time in which another instance acquires the ended lease and writes. */
const LEASE_TAKEN_MS = 2_000;
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

/** The first instance to request an ended lease gets it, so this ends the lease until the instance holds it and writes. */
const cutOffInProjection = cutOff({
  name: 'the projector cut off in the middle of its write',
  link: 'database',
  async cut(instance, under) {
    let isCut = false;
    const cut = instance.cutInside('copy payments (', 0).then(() => (isCut = true));
    const deadlineMs = performance.now() + BACK_WAIT_MS;
    while (!isCut) {
      if (performance.now() > deadlineMs) throw new Error('The instance did not become the projector');
      await under.endProjectorLease();
      await Promise.race([cut, pause(LEASE_TAKEN_MS)]);
    }
  },
});

/** @param link to where events are stored */
export const cutOffFaults = (link: Link): readonly Fault[] => [cutOffInAppend(link), cutOffInProjection];
