import type { Scope } from '@settle/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A user's grant to an app. Its codes, access tokens and refresh tokens are revoked with it. */
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

  /** Since when the app has had access without a gap, under this authorization or earlier ones. */
  @Column({ name: 'connected_at', type: 'timestamptz' })
  connectedAt: Date;

  /** When the user granted it: its refresh tokens expire `REFRESH_FAMILY_DAYS` later. */
  @Column({ name: 'begun_at', type: 'timestamptz', default: () => 'now()' })
  begunAt: Date;

  /** Accurate to about a minute; null: none of its tokens was used. */
  @Column({ name: 'last_used_at', type: 'timestamptz', nullable: true })
  lastUsedAt: Date | null;

  /** When the last of its codes and tokens expires. */
  @Column({ name: 'ends_at', type: 'timestamptz' })
  endsAt: Date;

  @Column({ name: 'revoked_at', type: 'timestamptz', nullable: true })
  revokedAt: Date | null;
}
