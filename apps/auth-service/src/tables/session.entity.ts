import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { Credential } from './credential.entity.js';

/** A user's session in one browser. */
@Entity('sessions')
export class Session {
  /** Hash of the id in the cookie. */
  @PrimaryColumn({ name: 'id_sha256', type: 'bytea' })
  idSha256: Buffer;

  @ManyToOne(() => Credential, { nullable: false })
  @JoinColumn({ name: 'user_id' })
  credential: Relation<Credential>;

  @Column({ name: 'user_id', type: 'bigint' })
  userId: string;

  @Column({ name: 'last_seen_at', type: 'timestamptz' })
  lastSeenAt: Date;

  /** When the user last entered the password; null: unknown, which counts as long ago. */
  @Column({ name: 'authenticated_at', type: 'timestamptz', nullable: true })
  authenticatedAt: Date | null;

  /** The end of its absolute lifetime, even if it is in use. */
  @Column({ name: 'expires_at', type: 'timestamptz' })
  expiresAt: Date;
}
