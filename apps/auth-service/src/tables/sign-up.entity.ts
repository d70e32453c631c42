import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Somebody who asked for an account and has not shown yet that the e-mail address is theirs. */
@Entity('sign_ups')
export class SignUp {
  /** Of the id in the cookie of the browser that asked. */
  @PrimaryColumn({ name: 'browser_sha256', type: 'bytea' })
  browserSha256: Buffer;

  /** As they spell it. */
  @Column({ type: 'text' })
  username: string;

  @Column({ name: 'first_name', type: 'text' })
  firstName: string;

  @Column({ name: 'last_name', type: 'text' })
  lastName: string;

  /** As they spell it. */
  @Column({ type: 'text' })
  email: string;

  /** E.164; proven after the account is there. */
  @Column({ type: 'text', nullable: true })
  phone: string | null;

  @Column({ name: 'password_hash', type: 'text' })
  passwordHash: string;

  /** A path of our own, where they came from. */
  @Column({ name: 'return_to', type: 'text' })
  returnTo: string;

  @Column({ name: 'expires_at', type: 'timestamptz' })
  expiresAt: Date;
}
