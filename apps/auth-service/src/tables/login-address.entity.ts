import type { AddressKind } from '@settle/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An address with which a user signs in: the one who verified it last. users-service stores the same verifications. */
@Entity('login_addresses')
export class LoginAddress {
  @PrimaryColumn({ type: 'text' })
  kind: AddressKind;

  /** The form used for comparison: e-mails normalized, phones in E.164. */
  @PrimaryColumn({ type: 'text' })
  value: string;

  @Column({ name: 'user_id', type: 'bigint' })
  userId: string;

  /** The e-mail as its owner verified it: all messages go there. Null: not known yet, so they go to `value`. */
  @Column({ type: 'text', nullable: true })
  spelling: string | null;

  /** Microseconds since 1970. */
  @Column({ name: 'proven_at_us', type: 'bigint' })
  provenAtUs: string;
}
