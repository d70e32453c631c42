import type { StackState } from '@settle/testing';
import { waitUntilReady, type StackUnderFaults } from './stack-under-faults.fixture.js';

/** How long a process is suspended. */
export const PAUSE_MS = 3_000;

/** The usual numbers of processes. */
export const USUAL_COUNTS = { gateways: 2, payments: 3 } as const;

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

export const once = { times: 1, shortTimes: 1, isHarmless: false };

/** Resolves once all instances are ready. Read their state before the strike: a machine that starts services has no CPU for needless programs. */
export async function waitUntilAllReady({ instances }: StackState): Promise<void> {
  await Promise.all(instances.map(waitUntilReady));
}
