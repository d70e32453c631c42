import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Keeps a bigint column of cents as a number: PostgreSQL hands it over as text. */
const cents = { to: (value: number | null) => value, from: (stored: string | null) => stored && Number(stored) };

/** What two people are to each other; there is one row for both, `low` being the smaller id. */
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

  /** The most that high, whom low trusts, may charge low unasked within 24 hours; null: no limit. */
  @Column('bigint', { name: 'low_amount_per_day_cents', nullable: true, transformer: cents })
  lowAmountPerDayCents: number | null;

  @Column('bigint', { name: 'high_amount_per_day_cents', nullable: true, transformer: cents })
  highAmountPerDayCents: number | null;

  @Column('boolean', { name: 'low_blocks_high' })
  lowBlocksHigh: boolean;

  @Column('boolean', { name: 'high_blocks_low' })
  highBlocksLow: boolean;

  /** Counts the changes of the record that the other services keep. */
  @Column('integer')
  version: number;
}

/** The columns of what either of a pair lets the other charge. */
export const LOW_TRUST = { trust: 'lowTrustsHigh', amount: 'lowAmountPerDayCents' } as const;
export const HIGH_TRUST = { trust: 'highTrustsLow', amount: 'highAmountPerDayCents' } as const;
export const NO_TRUST = {
  lowTrustsHigh: false,
  highTrustsLow: false,
  lowAmountPerDayCents: null,
  highAmountPerDayCents: null,
} as const;
