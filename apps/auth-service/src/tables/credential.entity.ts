import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A user's credentials. users-service stores the rest of the account. */
@Entity('credentials')
export class Credential {
  @PrimaryColumn({ name: 'user_id', type: 'bigint' })
  userId: string;

  /** In lower case. */
  @Column({ type: 'text' })
  username: string;

  /** Argon2id, with its parameters and salt. */
  @Column({ name: 'password_hash', type: 'text' })
  passwordHash: string;

  /** When an operator froze the account for reading: no page and no token of the user works. Null: not frozen. */
  @Column({ name: 'reading_frozen_at', type: 'timestamptz', nullable: true })
  readingFrozenAt: Date | null;

  /** When the password was last reset by a code; null: never, or before this was stored. */
  @Column({ name: 'password_reset_at', type: 'timestamptz', nullable: true })
  passwordResetAt: Date | null;
}
