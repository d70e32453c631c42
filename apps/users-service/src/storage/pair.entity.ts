import { compareIds } from '@settle/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { bigintAsNumber } from './bigint-as-number.js';

/** The relation of two users: one row for both, `low` is the smaller id. */
@Entity('pairs')
export class Pair {
  @PrimaryColumn('bigint')
  low: string;

  @PrimaryColumn('bigint')
  high: string;

  @Column('boolean', { name: 'are_friends' })
  areFriends: boolean;

  @Column('boolean', { name: 'low_trusts_high' })
  lowTrustsHigh: boolean;

  @Column('boolean', { name: 'high_trusts_low' })
  highTrustsLow: boolean;

  /** The most that `high`, whom `low` trusts, may charge `low` without approval within 24 hours; null: no limit. */
  @Column('bigint', { name: 'low_amount_per_day_cents', nullable: true, transformer: bigintAsNumber })
  lowAmountPerDayCents: number | null;

  @Column('bigint', { name: 'high_amount_per_day_cents', nullable: true, transformer: bigintAsNumber })
  highAmountPerDayCents: number | null;

  @Column('boolean', { name: 'low_blocks_high' })
  lowBlocksHigh: boolean;

  @Column('boolean', { name: 'high_blocks_low' })
  highBlocksLow: boolean;

  /** Version of the published record. */
  @Column('integer')
  version: number;
}

/** Columns of what each user of a pair has decided about the other. */
const LOW_SIDE = { trusts: 'lowTrustsHigh', amount: 'lowAmountPerDayCents', blocks: 'lowBlocksHigh' } as const;
const HIGH_SIDE = { trusts: 'highTrustsLow', amount: 'highAmountPerDayCents', blocks: 'highBlocksLow' } as const;

export const NO_TRUST = {
  lowTrustsHigh: false,
  highTrustsLow: false,
  lowAmountPerDayCents: null,
  highAmountPerDayCents: null,
} as const;

/** Returns the columns that hold the decisions of this user of the pair. */
export function sideOf(pair: Pick<Pair, 'low'>, userId: string) {
  return pair.low === userId ? LOW_SIDE : HIGH_SIDE;
}

/** Returns the key of the row of two users. */
export function pairOf(userId: string, otherId: string): Pick<Pair, 'low' | 'high'> {
  const [low, high] = compareIds(userId, otherId) < 0 ? [userId, otherId] : [otherId, userId];
  return { low, high };
}
