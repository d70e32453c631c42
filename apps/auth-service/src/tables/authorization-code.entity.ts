import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An authorization code. It is redeemed once; used rows are kept so that a replay is detected. */
@Entity('authorization_codes')
export class AuthorizationCode {
  @PrimaryColumn({ type: 'bytea' })
  sha256: Buffer;

  @Column({ name: 'authorization_id', type: 'uuid' })
  authorizationId: string;

  /** The redirect URI that received the code; null in codes of earlier versions whose request had none. */
  @Column({ name: 'redirect_uri', type: 'text', nullable: true })
  redirectUri: string | null;

  /** The S256 challenge of RFC 7636; null when none was sent. */
  @Column({ type: 'text', nullable: true })
  challenge: string | null;

  /** Whether the user granted every requested scope. */
  @Column({ name: 'is_whole', type: 'boolean', default: false })
  isWhole: boolean;

  @Column({ name: 'expires_at', type: 'timestamptz' })
  expiresAt: Date;

  @Column({ name: 'used_at', type: 'timestamptz', nullable: true })
  usedAt: Date | null;
}
