import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { Credential } from './credential.entity.js';

/** Somebody who is signed in to the pages, in one browser. */
@Entity('sessions')
export class Session {
  /** Of the id in the cookie. */
  @PrimaryColumn({ name: 'id_sha256', type: 'bytea' })
  idSha256: Buffer;

  @ManyToOne(() => Credential, { nullable: false })
  @JoinColumn({ name: 'user_id' })
  credential: Relation<Credential>;

  @Column({ name: 'user_id', type: 'bigint' })
  userId: string;

  @Column({ name: 'last_seen_at', type: 'timestamptz' })
  lastSeenAt: Date;

  /** When the user last typed the password; null: not known, so long ago. */
  @Column({ name: 'authenticated_at', type: 'timestamptz', nullable: true })
  authenticatedAt: Date | null;

  /** The end of its absolute life, however busy it is. */
  @Column({ name: 'expires_at', type: 'timestamptz' })
  expiresAt: Date;
}
