import type { Environment, Scope } from '@settle/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An access token. Only its hash is stored. */
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

  /** The only environment in which it works; null: all. */
  @Column({ type: 'text', nullable: true })
  environment: Environment | null;

  @Column({ name: 'authorization_id', type: 'uuid' })
  authorizationId: string;

  @Column({ name: 'issued_at', type: 'timestamptz' })
  issuedAt: Date;

  @Column({ name: 'expires_at', type: 'timestamptz' })
  expiresAt: Date;

  /** When it stops working; in the future if a refresh has replaced it. */
  @Column({ name: 'revoked_at', type: 'timestamptz', nullable: true })
  revokedAt: Date | null;

  /** When the revocation was published to every gateway. */
  @Column({ name: 'revocation_published_at', type: 'timestamptz', nullable: true })
  revocationPublishedAt: Date | null;
}
