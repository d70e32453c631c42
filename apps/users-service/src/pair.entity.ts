import { Column, Entity, PrimaryColumn } from 'typeorm';

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

  @Column('boolean', { name: 'low_blocks_high' })
  lowBlocksHigh: boolean;

  @Column('boolean', { name: 'high_blocks_low' })
  highBlocksLow: boolean;

  /** Counts the changes of the record that the other services keep. */
  @Column('integer')
  version: number;
}
