import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A code that was sent. It is worth something only in the browser that asked for it. */
@Entity('codes')
export class Code {
  /** Of what the code is for and the id in the browser's cookie. */
  @PrimaryColumn({ name: 'id_sha256', type: 'bytea' })
  idSha256: Buffer;

  /** Keyed with the cookie's id, which is stored nowhere: a million codes are soon tried against a plain hash. */
  @Column({ type: 'bytea' })
  mac: Buffer;

  /** What the code shows to be somebody's: an address, or the account whose password is to be reset; empty: nothing. */
  @Column({ type: 'text' })
  subject: string;

  /** Of the address for which it was asked, also where nothing was sent: wrong tries count for it. */
  @Column({ name: 'address_sha256', type: 'bytea' })
  addressSha256: Buffer;

  @Column({ name: 'tries_left', type: 'integer' })
  triesLeft: number;

  /** When it was first typed right, in microseconds since 1970. */
  @Column({ name: 'proven_at_us', type: 'bigint', nullable: true })
  provenAtUs: string | null;

  @Column({ name: 'expires_at', type: 'timestamptz' })
  expiresAt: Date;
}
