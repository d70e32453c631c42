import type { Environment, Scope } from '@settle/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An access token: what it opens, for whom, until when. The token itself is known to its app alone. */
@Entity('tokens')
export class Token {
  @PrimaryColumn({ type: 'bytea' })
  sha256: Buffer;

  @Column({ name: 'app_id', type: 'text' })
  appId: string;

  @Column({ name: 'user_id', type: 'bigint' })
  userId: string;

  @Column({ type: 'text', array: true })
  scopes: Scope[];

  /** The only environment in which it works; null: every one. */
  @Column({ type: 'text', nullable: true })
  environment: Environment | null;

  @Column({ name: 'authorization_id', type: 'uuid' })
  authorizationId: string;

  @Column({ name: 'issued_at', type: 'timestamptz' })
  issuedAt: Date;

  @Column({ name: 'expires_at', type: 'timestamptz' })
  expiresAt: Date;

  /** Refused from then on; in the future when a refresh has replaced it. */
  @Column({ name: 'revoked_at', type: 'timestamptz', nullable: true })
  revokedAt: Date | null;

  /** When every gateway was told of the revocation. */
  @Column({ name: 'revocation_published_at', type: 'timestamptz', nullable: true })
  revocationPublishedAt: Date | null;
}
