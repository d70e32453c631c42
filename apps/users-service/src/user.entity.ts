import type { Audience } from '@settle/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { microseconds } from './microseconds.js';

/** A person, as they call themselves and as others may treat them. */
@Entity('users')
export class User {
  @PrimaryColumn('bigint')
  id: string;

  /** Unique without regard to case. */
  @Column('text')
  username: string;

  @Column('text', { name: 'first_name' })
  firstName: string;

  @Column('text', { name: 'last_name' })
  lastName: string;

  @Column('text', { name: 'display_name' })
  displayName: string;

  @Column('text')
  about: string;

  /** Null: the picture is drawn from the initials. */
  @Column('text', { name: 'picture_url', nullable: true })
  pictureUrl: string | null;

  /** As given; shown so, and never compared. */
  @Column('text', { nullable: true })
  email: string | null;

  @Column('text', { name: 'email_normalised', nullable: true })
  emailNormalised: string | null;

  /** E.164. */
  @Column('text', { nullable: true })
  phone: string | null;

  /** Microseconds since 1970. */
  @Column('bigint', { name: 'joined_at_us', transformer: microseconds })
  joinedAtUs: number;

  @Column('text', { name: 'default_audience' })
  defaultAudience: Audience;

  @Column('boolean', { name: 'is_business' })
  isBusiness: boolean;

  /** A business that had access to the interface before it was closed to new ones. */
  @Column('boolean', { name: 'legacy_access' })
  legacyAccess: boolean;

  /** Whether the user's identity was checked. */
  @Column('boolean')
  verified: boolean;

  @Column('boolean', { name: 'is_frozen' })
  isFrozen: boolean;

  @Column('text', { name: 'funding_source_id', nullable: true })
  fundingSourceId: string | null;

  /** Of the number of the card, where it is one; by them its owner knows it. */
  @Column('text', { name: 'funding_source_last_four', nullable: true })
  fundingSourceLastFour: string | null;

  /** Counts the changes of the record that the other services keep. */
  @Column('integer')
  version: number;
}
