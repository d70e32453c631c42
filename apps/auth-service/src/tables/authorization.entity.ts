import type { Scope } from '@settle/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** What a user allowed an app once. Codes, access tokens and refresh tokens hang on it, and end with it. */
@Entity('authorizations')
export class Authorization {
  @PrimaryColumn('uuid')
  id: string;

  @Column({ name: 'app_id', type: 'text' })
  appId: string;

  @Column({ name: 'user_id', type: 'bigint' })
  userId: string;

  @Column({ type: 'text', array: true })
  scopes: Scope[];

  /** Since when the app has had access without a gap, through this authorization or those before it. */
  @Column({ name: 'connected_at', type: 'timestamptz' })
  connectedAt: Date;

  /** When the user allowed it: its refresh tokens end so long after that as `REFRESH_FAMILY_DAYS` says. */
  @Column({ name: 'begun_at', type: 'timestamptz', default: () => 'now()' })
  begunAt: Date;

  /** A minute or so behind; null while no token of it was used. */
  @Column({ name: 'last_used_at', type: 'timestamptz', nullable: true })
  lastUsedAt: Date | null;

  /** The end of the longest-lived thing that hangs on it. */
  @Column({ name: 'ends_at', type: 'timestamptz' })
  endsAt: Date;

  @Column({ name: 'revoked_at', type: 'timestamptz', nullable: true })
  revokedAt: Date | null;
}
