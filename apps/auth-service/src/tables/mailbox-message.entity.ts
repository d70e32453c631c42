import type { AddressKind } from '@settle/contracts';
import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** A message that `/dev/mailbox` displays instead of sending it. */
@Entity('mailbox_messages')
export class MailboxMessage {
  @PrimaryGeneratedColumn({ type: 'bigint' })
  id: string;

  @Column({ type: 'text' })
  kind: AddressKind;

  @Column({ name: 'sent_to', type: 'text' })
  to: string;

  @Column({ type: 'text' })
  subject: string;

  @Column({ type: 'text' })
  text: string;

  @Column({ name: 'sent_at', type: 'timestamptz' })
  sentAt: Date;
}
