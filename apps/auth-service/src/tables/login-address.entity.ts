import type { AddressKind } from '@settle/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An address that somebody can sign in with: whoever proved it last. Users-service holds the same proofs. */
@Entity('login_addresses')
export class LoginAddress {
  @PrimaryColumn({ type: 'text' })
  kind: AddressKind;

  /** As addresses are compared: e-mails normalized, phones in E.164. */
  @PrimaryColumn({ type: 'text' })
  value: string;

  @Column({ name: 'user_id', type: 'bigint' })
  userId: string;

  /** An e-mail as its owner proved it: all messages go there. Null: not known yet, so they go to `value`. */
  @Column({ type: 'text', nullable: true })
  spelling: string | null;

  /** Microseconds since 1970. */
  @Column({ name: 'proven_at_us', type: 'bigint' })
  provenAtUs: string;
}
