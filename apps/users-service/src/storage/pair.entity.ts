import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Converts a bigint column of cents to a number: PostgreSQL returns text. */
const cents = { to: (value: number | null) => value, from: (stored: string | null) => stored && Number(stored) };

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
  @Column('bigint', { name: 'low_amount_per_day_cents', nullable: true, transformer: cents })
  lowAmountPerDayCents: number | null;

  @Column('bigint', { name: 'high_amount_per_day_cents', nullable: true, transformer: cents })
  highAmountPerDayCents: number | null;

  @Column('boolean', { name: 'low_blocks_high' })
  lowBlocksHigh: boolean;

  @Column('boolean', { name: 'high_blocks_low' })
  highBlocksLow: boolean;

  /** Version of the published record. */
  @Column('integer')
  version: number;
}

/** Columns of the charges that each user of a pair allows the other. */
export const LOW_TRUST = { trust: 'lowTrustsHigh', amount: 'lowAmountPerDayCents' } as const;
export const HIGH_TRUST = { trust: 'highTrustsLow', amount: 'highAmountPerDayCents' } as const;
export const NO_TRUST = {
  lowTrustsHigh: false,
  highTrustsLow: false,
  lowAmountPerDayCents: null,
  highAmountPerDayCents: null,
} as const;
