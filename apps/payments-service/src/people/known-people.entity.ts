import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** The newest record of a person on `users.state.v1`. */
@Entity({ name: 'known_users' })
export class KnownUserRow {
  @PrimaryColumn('bigint')
  user_id: string;

  @Column('int')
  version: number;

  @Column('jsonb')
  record: object;
}

/** The newest record of two people on `users.state.v1`. */
@Entity({ name: 'known_pairs' })
@Index('known_pairs_of_high', ['high'])
export class KnownPairRow {
  @PrimaryColumn('bigint')
  low: string;

  @PrimaryColumn('bigint')
  high: string;

  @Column('int')
  version: number;

  @Column('jsonb')
  record: object;
}

/** Addresses that their owners have proven. */
@Entity({ name: 'known_addresses' })
@Index('known_addresses_of_user', ['user_id'])
export class KnownAddressRow {
  @PrimaryColumn('text')
  kind: string;

  @PrimaryColumn('text')
  value: string;

  @PrimaryColumn('bigint')
  user_id: string;

  @Column('bigint')
  proven_at_us: string;
}
