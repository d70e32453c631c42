import type { Audience } from '@settle/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { bigintAsNumber } from './bigint-as-number.js';

/** A user's profile and the flags that the operator sets. */
@Entity('users')
export class User {
  @PrimaryColumn('bigint')
  id: string;

  /** Unique, compared case-insensitively. */
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

  /** Null: the picture shows the initials. */
  @Column('text', { name: 'picture_url', nullable: true })
  pictureUrl: string | null;

  /** As entered, for display only. */
  @Column('text', { nullable: true })
  email: string | null;

  @Column('text', { name: 'email_normalised', nullable: true })
  emailNormalized: string | null;

  /** E.164. */
  @Column('text', { nullable: true })
  phone: string | null;

  /** Microseconds since 1970. */
  @Column('bigint', { name: 'joined_at_us', transformer: bigintAsNumber })
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

  /** Last digits of the card, by which its owner recognizes it. */
  @Column('text', { name: 'funding_source_last_four', nullable: true })
  fundingSourceLastFour: string | null;

  /** When the account was closed, in microseconds since 1970; null: it is open. */
  @Column('bigint', { name: 'closed_at_us', nullable: true, transformer: bigintAsNumber })
  closedAtUs: number | null;

  /** Version of the published record. */
  @Column('integer')
  version: number;
}
