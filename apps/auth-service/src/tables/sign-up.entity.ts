import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A sign-up whose e-mail address is not verified yet. */
@Entity('sign_ups')
export class SignUp {
  /** Hash of the id in the browser's cookie. */
  @PrimaryColumn({ name: 'browser_sha256', type: 'bytea' })
  browserSha256: Buffer;

  /** As the user spells it. */
  @Column({ type: 'text' })
  username: string;

  @Column({ name: 'first_name', type: 'text' })
  firstName: string;

  @Column({ name: 'last_name', type: 'text' })
  lastName: string;

  /** As the user spells it. */
  @Column({ type: 'text' })
  email: string;

  /** E.164; verified after the account is created. */
  @Column({ type: 'text', nullable: true })
  phone: string | null;

  @Column({ name: 'password_hash', type: 'text' })
  passwordHash: string;

  /** The local path to which the user returns. */
  @Column({ name: 'return_to', type: 'text' })
  returnTo: string;

  @Column({ name: 'expires_at', type: 'timestamptz' })
  expiresAt: Date;
}
