import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A code on its way to its app. It is redeemed once; it stays, used, so that a second try is known for what it is. */
@Entity('authorization_codes')
export class AuthorizationCode {
  @PrimaryColumn({ type: 'bytea' })
  sha256: Buffer;

  @Column({ name: 'authorization_id', type: 'uuid' })
  authorizationId: string;

  /** The address that the code was sent to; null in codes of versions before, whose request named none. */
  @Column({ name: 'redirect_uri', type: 'text', nullable: true })
  redirectUri: string | null;

  /** The S256 challenge of RFC 7636; null when none was sent. */
  @Column({ type: 'text', nullable: true })
  challenge: string | null;

  /** Whether the user allowed all that was asked for. */
  @Column({ name: 'is_whole', type: 'boolean', default: false })
  isWhole: boolean;

  @Column({ name: 'expires_at', type: 'timestamptz' })
  expiresAt: Date;

  @Column({ name: 'used_at', type: 'timestamptz', nullable: true })
  usedAt: Date | null;
}
