import type { AddressKind } from '@settle/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An address that somebody can sign in with: whoever proved it last. Users-service holds the same proofs. */
@Entity('login_addresses')
export class LoginAddress {
  @PrimaryColumn({ type: 'text' })
  kind: AddressKind;

  /** E-mails in lower case, phones in E.164. */
  @PrimaryColumn({ type: 'text' })
  value: string;

  @Column({ name: 'user_id', type: 'bigint' })
  userId: string;

  /** Microseconds since 1970. */
  @Column({ name: 'proven_at_us', type: 'bigint' })
  provenAtUs: string;
}
