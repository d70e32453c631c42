import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** The newest record of `users.state.v1` under its key: a person, or two people. */
@Entity({ name: 'known_people' })
export class KnownPersonRow {
  @PrimaryColumn('text')
  key: string;

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
