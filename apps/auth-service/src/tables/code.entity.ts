import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A verification code. It is valid only in the browser that requested it. */
@Entity('codes')
export class Code {
  /** Hash of the code's purpose and the id in the browser's cookie. */
  @PrimaryColumn({ name: 'id_sha256', type: 'bytea' })
  idSha256: Buffer;

  /** Keyed with the cookie's id, which is not stored: a plain hash of six digits is easily reversed. */
  @Column({ type: 'bytea' })
  mac: Buffer;

  /** The object that the code verifies: an address, or the user whose password is reset; empty for none. */
  @Column({ type: 'text' })
  subject: string;

  /** Hash of the address for which the code was requested, even if none was sent: wrong codes are counted under it. */
  @Column({ name: 'address_sha256', type: 'bytea' })
  addressSha256: Buffer;

  @Column({ name: 'tries_left', type: 'integer' })
  triesLeft: number;

  /** When it was first entered correctly, in microseconds since 1970. */
  @Column({ name: 'proven_at_us', type: 'bigint', nullable: true })
  provenAtUs: string | null;

  @Column({ name: 'expires_at', type: 'timestamptz' })
  expiresAt: Date;
}
