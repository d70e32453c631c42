import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A refresh token. It works once; used rows are kept so that a reuse is detected. */
@Entity('refresh_tokens')
export class RefreshToken {
  @PrimaryColumn({ type: 'bytea' })
  sha256: Buffer;

  @Column({ name: 'authorization_id', type: 'uuid' })
  authorizationId: string;

  @Column({ name: 'expires_at', type: 'timestamptz' })
  expiresAt: Date;

  @Column({ name: 'used_at', type: 'timestamptz', nullable: true })
  usedAt: Date | null;
}
